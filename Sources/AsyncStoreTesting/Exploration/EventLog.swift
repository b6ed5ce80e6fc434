import AsyncStore
import Synchronization

/// The last events of a simulation's stores, in order.
final class EventLog: Sendable {
  private static let capacity = 60

  private struct Line: Sendable {
    let time: TestClock.Instant
    /// The name of the store, or `nil` if the event is from outside of the stores.
    let store: String?
    let text: String
  }

  private struct Recorded: Sendable {
    var lines: [Line] = []
    /// The names of the stores that have done something.
    var stores: Set<String> = []
  }

  /// The same events, and every job, for a viewer.
  let trace = Trace()
  private let recorded = Mutex(Recorded())

  /// The last events, in words; each names its store if there is more than one.
  var lines: [String] {
    recorded.withLock { recorded in
      recorded.lines.suffix(Self.capacity).map { line in
        let store = recorded.stores.count > 1 ? line.store.map { "\($0): " } : nil
        return "\(line.time): \(store ?? "")\(line.text)"
      }
    }
  }

  /// Returns an instrument that writes to the log.
  ///
  /// - Parameter name: the store's name in the log and in the trace.
  func instrument(named name: String, at clock: TestClock) -> any StoreInstrument {
    Instrument(eventLog: self, name: name, clock: clock)
  }

  /// Adds an event from outside of the stores.
  func add(_ text: String, at time: TestClock.Instant) {
    add(Line(time: time, store: nil, text: text))
    trace.note(text, at: time)
  }

  /// Adds a choice of the body, which the trace marks by itself.
  func add(choice text: String, at time: TestClock.Instant) { add(Line(time: time, store: nil, text: text)) }

  private func add(_ line: Line) {
    recorded.withLock { recorded in
      recorded.lines.append(line)
      if let store = line.store { recorded.stores.insert(store) }
      if recorded.lines.count > Self.capacity * 2 { recorded.lines.removeFirst(Self.capacity) }
    }
  }

  private struct Instrument: StoreInstrument {
    let eventLog: EventLog
    let name: String
    let clock: TestClock

    func record(_ event: InstrumentEvent) {
      let now = clock.now
      eventLog.add(Line(time: now, store: name, text: "\(event)"))
      eventLog.trace.record(event, of: name, at: now)
    }
  }
}
