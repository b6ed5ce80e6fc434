/// What has to be told to observers and instruments, in the order of the commits.
///
/// Values are many, and counting the references to their observers would be most of what it costs to deliver one. So
/// that is done by hand: each item owns a reference from `append` until ``Item/release()``.
struct DeliveryQueue: ~Copyable {
  enum Item {
    /// `hop` says how many deliveries led to the commit that is being delivered: 0 for one that comes from outside.
    case value(Unmanaged<CommitObserver>, hop: Int)
    case other(Unmanaged<Box>)

    /// The observer whose value it is, if it is one.
    var observer: Unmanaged<CommitObserver>? {
      switch self {
      case .value(let observer, _): return observer
      case .other(let box):
        guard case .wrapped(let observer, _, _) = box._withUnsafeGuaranteedRef({ $0.content }) else { return nil }
        return .passUnretained(observer)
      }
    }

    /// Once for each item, after the lock: nothing may touch it afterwards.
    func release() {
      switch self {
      case .value(let observer, _): observer.release()
      case .other(let box): box.release()
      }
    }
  }

  /// What is rarer than a value.
  enum Other: Sendable {
    /// A value of a commit that is delivered inside a wrapper.
    case wrapped(CommitObserver, hop: Int, DeliveryWrapper)
    case event(InstrumentEvent)
    /// The store has ended: no more values come.
    case end(CommitObserver)
    /// Detached; kept only to release its last reference after the lock.
    case departed(CommitObserver)
    /// Kept only to be released after the lock, likewise.
    case released(SourceCopy)
  }

  final class Box: Sendable {
    let content: Other

    init(_ content: Other) { self.content = content }
  }

  private var items: ContiguousArray<Item> = []
  private var first = 0
  /// A thread is delivering; it takes what is added meanwhile too.
  var isDelivering = false
  /// Values wait for a turn on the store's actor, which has been asked for.
  private var awaitsTurn = false
  /// The number of calls whose deliveries other threads have left to the delivering thread.
  private var leftByOthers = 0

  deinit { for item in items[first...] { item.release() } }

  var isEmpty: Bool { first == items.count }

  var next: Item? { isEmpty ? nil : items[first] }

  /// - Returns: whether a thread is delivering, to which what was added is left; if not, the caller does from now on.
  mutating func leaveToDeliverer() -> Bool {
    leftByOthers = isDelivering ? leftByOthers + 1 : 0
    defer { isDelivering = true }
    return isDelivering
  }

  /// - Returns: whether a turn has to be asked for: one is enough for all that waits.
  mutating func awaitTurn() -> Bool {
    defer { awaitsTurn = true }
    return !awaitsTurn
  }

  /// The turn has come.
  mutating func beginTurn() { awaitsTurn = false }

  /// Ends the delivering, if others have left the deliveries of that many calls to it and there is more to deliver.
  mutating func endsService(after limit: Int) -> Bool {
    guard leftByOthers >= limit, !isEmpty else { return false }
    isDelivering = false
    return true
  }

  mutating func append(_ observer: Unmanaged<CommitObserver>, hop: Int) {
    items.append(.value(observer.retain(), hop: hop))
  }

  mutating func append(_ other: Other) { items.append(.other(.passRetained(Box(other)))) }

  /// Removes the next item, which is then the caller's to release.
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
