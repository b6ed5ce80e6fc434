/// The deliveries to observers and instruments, in the order of the commits.
///
/// There are many values, and counting the references to their observers would be most of a delivery's cost. So this is
/// done by hand: each item owns a reference from `append` until ``Item/release()``.
struct DeliveryQueue: ~Copyable {
  enum Item {
    /// A value of an observer; `hop` is the number of deliveries that led to its commit, 0 for a commit from outside.
    case value(Unmanaged<CommitObserver>, hop: Int)
    case event(Unmanaged<Event>)
    case other(Unmanaged<Box>)

    /// The observer, if the item is a value.
    var observer: Unmanaged<CommitObserver>? {
      switch self {
      case .value(let observer, _): return observer
      case .event: return nil
      case .other(let box):
        guard case .wrapped(let observer, _, _) = box._withUnsafeGuaranteedRef({ $0.content }) else { return nil }
        return .passUnretained(observer)
      }
    }

    /// Releases the item: once for each, after the lock; nothing may touch it afterwards.
    func release() {
      switch self {
      case .value(let observer, _): observer.release()
      case .event(let event): event.release()
      case .other(let box): box.release()
      }
    }
  }

  /// An event for the instrument, with the states before and after a commit if it wants them.
  final class Event: Sendable {
    private let event: InstrumentEvent
    private let states: StatePair?

    init(_ event: consuming InstrumentEvent, _ states: StatePair?) { (self.event, self.states) = (event, states) }

    func tell(_ instrument: any StoreInstrument) {
      if let states { states.tell(instrument, of: event) } else { instrument.record(event) }
    }
  }

  /// A delivery that is rarer than a value and an event.
  enum Other: Sendable {
    /// A value of a commit that is delivered inside a wrapper.
    case wrapped(CommitObserver, hop: Int, DeliveryWrapper)
    /// The store has ended: no more values come.
    case end(CommitObserver)
    /// An observer that has departed, kept only to release its last reference after the lock.
    case departed(CommitObserver)
    /// One or several values that are kept only to be released after the lock.
    case released(any Sendable)
  }

  final class Box: Sendable {
    let content: Other

    init(_ content: Other) { self.content = content }
  }

  private var items: ContiguousArray<Item> = []
  private var first = 0
  /// True while a thread is delivering, which also takes what is added meanwhile.
  private(set) var isDelivering = false
  /// True if values wait for a turn on the store's actor, which has been requested.
  private var awaitsTurn = false
  /// The number of calls whose deliveries other threads have left to the delivering thread.
  private var leftByOthers = 0

  deinit { for item in items[first...] { item.release() } }

  var isEmpty: Bool { first == items.count }

  var next: Item? { isEmpty ? nil : items[first] }

  /// Leaves what was added to the thread that is delivering, if there is one.
  ///
  /// - Returns: true if another thread is delivering, which takes what was added; if not, the caller delivers from now
  ///   on.
  mutating func leaveToDeliverer() -> Bool {
    leftByOthers = isDelivering ? leftByOthers + 1 : 0
    defer { isDelivering = true }
    return isDelivering
  }

  /// Ends the delivery.
  ///
  /// - Returns: true if there is nothing left to deliver.
  mutating func endDelivery() -> Bool {
    isDelivering = false
    return isEmpty
  }

  /// Records that values wait for a turn on the store's actor.
  ///
  /// - Returns: true if a turn has to be requested; one is enough for everything that waits.
  mutating func awaitTurn() -> Bool {
    defer { awaitsTurn = true }
    return !awaitsTurn
  }

  /// Records that the turn has come.
  mutating func beginTurn() { awaitsTurn = false }

  /// Ends the delivery if other threads have left the deliveries of `limit` calls to this one and there is more to
  /// deliver.
  mutating func endService(after limit: Int) -> Bool {
    guard leftByOthers >= limit, !isEmpty else { return false }
    isDelivering = false
    return true
  }

  mutating func append(_ observer: Unmanaged<CommitObserver>, hop: Int) {
    items.append(.value(observer.retain(), hop: hop))
  }

  mutating func append(_ event: consuming InstrumentEvent, _ states: StatePair? = nil) {
    items.append(.event(.passRetained(Event(event, states))))
  }

  mutating func append(_ other: Other) { items.append(.other(.passRetained(Box(other)))) }

  /// Removes the next item, which the caller has to release.
  mutating func removeFirst() {
    first += 1
    if isEmpty {
      items.removeAll(keepingCapacity: items.capacity <= 1024)
    } else {
      guard first >= 1024, first * 2 >= items.count else { return }
      items.removeFirst(first)
    }
    first = 0
  }
}
