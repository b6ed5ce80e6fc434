import AsyncStore
import Synchronization

/// What the stores of a simulation did, in order: the last of it.
final class Story: Sendable {
  private static let capacity = 60

  private let recorded = Mutex<[String]>([])

  var lines: [String] { recorded.withLock { $0.suffix(Self.capacity) } }

  /// An instrument that writes it, and passes everything on.
  func teller(at clock: TestClock, passingOn next: (any StoreInstrument)?) -> any StoreInstrument {
    Teller(story: self, clock: clock, next: next)
  }

  func add(_ line: String) {
    recorded.withLock { lines in
      lines.append(line)
      if lines.count > Self.capacity * 2 { lines.removeFirst(Self.capacity) }
    }
  }

  private struct Teller: StoreInstrument {
    let story: Story
    let clock: TestClock
    let next: (any StoreInstrument)?

    func record(_ event: InstrumentEvent) {
      story.add("\(clock.now): \(event)")
      next?.record(event)
    }
  }
}
