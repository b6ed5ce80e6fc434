import AsyncStore
import Synchronization

/// The last events of a simulation's stores, in order.
final class EventLog: Sendable {
  private static let capacity = 60

  /// The same events, and every job, for a viewer.
  let trace = Trace()
  private let recorded = Mutex<[String]>([])

  var lines: [String] { recorded.withLock { $0.suffix(Self.capacity) } }

  /// Returns an instrument that writes to the log.
  ///
  /// - Parameter name: the store's name in the trace.
  func instrument(named name: String, at clock: TestClock) -> any StoreInstrument {
    Instrument(eventLog: self, name: name, clock: clock)
  }

  /// Adds an event from outside of the stores.
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

  private struct Instrument: StoreInstrument {
    let eventLog: EventLog
    let name: String
    let clock: TestClock

    func record(_ event: InstrumentEvent) {
      let now = clock.now
      eventLog.add("\(now): \(event)")
      eventLog.trace.record(event, of: name, at: now)
    }
  }
}
