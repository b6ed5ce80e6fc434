import AsyncStore
import Synchronization

/// What the stores of a simulation did, in order: the last of it.
final class Story: Sendable {
  private static let capacity = 60

  /// The same, and every job, for a viewer.
  let trace = Trace()
  private let recorded = Mutex<[String]>([])

  var lines: [String] { recorded.withLock { $0.suffix(Self.capacity) } }

  /// An instrument that writes it, and passes everything on.
  ///
  /// - Parameter name: the store's name in the trace.
  func teller(
    of name: String, at clock: TestClock, passingOn next: (any StoreInstrument)?
  ) -> any StoreInstrument {
    Teller(story: self, name: name, clock: clock, next: next)
  }

  /// Adds what happened elsewhere than in a store.
  func add(_ line: String, at time: TestClock.Instant) {
    add("\(time): \(line)")
    trace.note(line, at: time)
  }

  private func add(_ line: String) {
    recorded.withLock { lines in
      lines.append(line)
      if lines.count > Self.capacity * 2 { lines.removeFirst(Self.capacity) }
    }
  }

  private struct Teller: StoreInstrument {
    let story: Story
    let name: String
    let clock: TestClock
    let next: (any StoreInstrument)?

    func record(_ event: InstrumentEvent) {
      let now = clock.now
      story.add("\(now): \(event)")
      story.trace.record(event, of: name, at: now)
      next?.record(event)
    }
  }
}
