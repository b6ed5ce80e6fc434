import Synchronization

/// A recorder of a store's last events, or of several stores', to look at when something has happened.
///
/// It keeps text and numbers, and nothing of the values, identifiers and errors themselves. When it is full the oldest
/// event goes for each new one, and is counted. What it has can be written as a trace for Perfetto or Chrome, and as
/// lines of JSON.
///
/// ```swift
/// let recorder = TraceRecorder(capacity: 1_000)
/// let store = CounterStore(state: Counter(), env: service, name: "orders", instrument: recorder)
/// await store.run(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 1)))
/// // recorder.count == 3
/// // recorder.jsonLines.split(separator: "\n").count == 3
/// ```
public final class TraceRecorder: StoreInstrument {
  private struct State {
    /// The events, from `first` on and around the end to before it.
    var events: [TraceEntry] = []
    var first = 0
    var droppedCount = 0
  }

  /// The maximum number of events that it keeps.
  public let capacity: Int
  private let state = Mutex(State())

  /// Creates a recorder.
  ///
  /// - Parameter capacity: the maximum number of events to keep, at least 1; 10,000 by default. Each text is cut after
  ///   200 characters.
  public init(capacity: Int = 10_000) { self.capacity = max(capacity, 1) }

  /// The number of events that it has.
  public var count: Int { state.withLock { $0.events.count } }

  /// The number of events that went for newer ones.
  public var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Forgets everything, the number of dropped events too.
  public func clear() {
    state.withLock { state in
      state.events = []
      (state.first, state.droppedCount) = (0, 0)
    }
  }

  /// Takes an event.
  public func record(_ event: InstrumentEvent) {
    // Here, and not under the recorder's lock, because to put an identifier into words calls user code.
    let entry = TraceEntry(event)
    state.withLock { state in
      guard state.events.count == capacity else { return state.events.append(entry) }
      state.events[state.first] = entry
      state.first = (state.first + 1) % capacity
      state.droppedCount += 1
    }
  }

  /// The events as a trace in Chrome's format, for <https://ui.perfetto.dev> and `chrome://tracing`.
  ///
  /// Each store is a process. Effects and waits are asynchronous slices, so that they may overlap; other events are
  /// marks on a lane of the store. A flow leads from a timer, a stream or a binding to each effect that it begins. An
  /// effect whose beginning was dropped is left out.
  ///
  /// Source: "Trace Event Format", Google, 2016.
  ///
  /// - Complexity: linear in the events.
  public var chromeTrace: String {
    let (entries, dropped) = entries
    var trace = ChromeTrace()
    for entry in entries { trace.add(entry) }
    return trace.json(dropped: dropped)
  }

  /// The events as lines of JSON, one object each.
  ///
  /// If events were dropped, the first line says how many: `{"dropped":12}`. Times are in nanoseconds.
  ///
  /// - Complexity: linear in the events.
  public var jsonLines: String {
    let (entries, dropped) = entries
    let lines = (dropped > 0 ? ["{\"dropped\":\(dropped)}"] : []) + entries.map(\.json)
    return lines.map { $0 + "\n" }.joined()
  }

  private var entries: (ArraySlice<TraceEntry>, dropped: Int) {
    state.withLock { state in
      (state.events[state.first...] + state.events[..<state.first], state.droppedCount)
    }
  }
}
