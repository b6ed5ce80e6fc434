import AsyncStore
import Synchronization

/// The last events of a simulation's stores, in order.
final class EventLog: Sendable {
  private static let capacity = 60

  private struct Line: Sendable {
    let time: TestClock.Instant
    /// The store, or `nil` if the event comes from outside the stores.
    let store: LoggedStore?
    let text: String
  }

  private struct LoggedStore: Sendable {
    /// A number, because several stores may have the same name.
    let number: Int
    let name: String
  }

  private struct Recorded: Sendable {
    var lines: [Line] = []
    var storeCount = 0
    /// The numbers of the stores that have done something.
    var stores: Set<Int> = []
  }

  /// The same events and every job, for a viewer.
  let trace = Trace()
  private let recorded = Mutex(Recorded())

  /// The last events in words; each names its store if there is more than one.
  var lines: [String] {
    recorded.withLock { recorded in
      recorded.lines.suffix(Self.capacity).map { line in
        let store = recorded.stores.count > 1 ? line.store.map { "\($0.name): " } : nil
        return "\(line.time): \(store ?? "")\(line.text)"
      }
    }
  }

  /// Returns an instrument that writes to the log.
  ///
  /// - Parameter name: the store's name in the log and in the trace.
  func instrument(named name: String, at clock: TestClock) -> any StoreInstrument {
    let number = recorded.withLock { recorded in
      recorded.storeCount += 1
      return recorded.storeCount
    }
    return Instrument(eventLog: self, store: LoggedStore(number: number, name: name), clock: clock)
  }

  /// Adds an event from outside the stores.
  func add(_ text: String, at time: TestClock.Instant) {
    add(Line(time: time, store: nil, text: text))
    trace.note(text, at: time)
  }

  /// Adds a choice of the body, which the trace marks separately.
  func add(choice text: String, at time: TestClock.Instant) { add(Line(time: time, store: nil, text: text)) }

  private func add(_ line: Line) {
    recorded.withLock { recorded in
      recorded.lines.append(line)
      if let store = line.store { recorded.stores.insert(store.number) }
      if recorded.lines.count > Self.capacity * 2 { recorded.lines.removeFirst(Self.capacity) }
    }
  }

  private struct Instrument: StoreInstrument {
    let eventLog: EventLog
    let store: LoggedStore
    let clock: TestClock

    func record(_ event: InstrumentEvent) {
      let now = clock.now
      eventLog.add(Line(time: now, store: store, text: "\(event)"))
      eventLog.trace.record(event, of: store.name, at: now)
    }
  }
}
