import Synchronization

/// A recorder of the last events of one or more stores, to look at after something has happened.
///
/// The recorder keeps text and numbers, among them the descriptions of identifiers and errors, but not the identifiers,
/// errors and values themselves. When it is full, each new event replaces the oldest, which is counted. The recorded
/// events can be written as a trace for Perfetto or Chrome, and as lines of JSON.
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
    /// The events as a ring: the oldest at `first`, then around the end to the index before it.
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

  /// The number of recorded events.
  public var count: Int { state.withLock { $0.events.count } }

  /// The number of events dropped for newer ones.
  public var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Removes all events, and resets the number of dropped events.
  public func clear() {
    state.withLock { state in
      state.events = []
      (state.first, state.droppedCount) = (0, 0)
    }
  }

  /// Takes an event.
  public func record(_ event: InstrumentEvent) {
    // Here, and not under the recorder's lock, because describing an identifier calls user code.
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
  /// - Complexity: linear in the number of events.
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
  /// - Complexity: linear in the number of events.
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
