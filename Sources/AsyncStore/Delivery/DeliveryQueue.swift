/// The deliveries to observers and instruments, in the order of the commits.
///
/// There are many values, and counting references to their observers would be most of a delivery's cost. So references
/// are managed by hand: each item owns one from `append` until ``Item/release()``.
struct DeliveryQueue: ~Copyable {
  enum Item {
    /// A value of an observer; `hop` says which deliveries led to its commit.
    case value(Unmanaged<CommitObserver>, hop: DeliveryHop)
    case event(Unmanaged<EventRecord>)
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

    /// Releases the item, exactly once and after the lock; afterwards, nothing may touch the item.
    func release() {
      switch self {
      case .value(let observer, _): observer.release()
      case .event(let event): event.release()
      case .other(let box): box.release()
      }
    }
  }

  /// A delivery that is rarer than a value or an event.
  enum Other: Sendable {
    /// A commit's value that is delivered inside a wrapper.
    case wrapped(CommitObserver, hop: DeliveryHop, DeliveryWrapper)
    /// The store has ended; no more values follow.
    case end(CommitObserver)
    /// An observer that has departed, kept only to release its last reference after the lock.
    case departed(CommitObserver)
    /// An event without an effect.
    case report(InstrumentEvent)
    /// One or more values, kept only to be released after the lock.
    case released(any Sendable)
    /// A call for somebody who waits until everything before this has been delivered.
    case reached(@Sendable () -> Void)
  }

  final class Box: Sendable {
    let content: Other

    init(_ content: Other) { self.content = content }
  }

  private var items = UniqueArray<Item>()
  /// True while a thread is delivering; that thread also delivers items added meanwhile.
  private(set) var isDelivering = false
  /// True if values wait for a turn on the store's actor, which has been requested.
  private var awaitsActor = false
  /// True if a cycle of bindings was found that does not settle, until nothing waits any more.
  private var isUnsettled = false
  /// The number of calls that have left their deliveries to the delivering thread.
  private var leftByOthers = 0
  /// True while the values of a commit are chained instead of queued.
  private(set) var isChaining = false
  private var firstOfChain: Unmanaged<CommitObserver>?
  private var lastOfChain: Unmanaged<CommitObserver>?

  deinit { for index in 0..<items.count { items[index].release() } }

  /// True if nothing waits except the items that a delivering thread has taken.
  var isEmpty: Bool { items.isEmpty }

  /// True if nothing waits, and no thread is delivering.
  var isDone: Bool { items.isEmpty && !isDelivering }

  /// True if only a few events for the instrument wait.
  var hasFewEventsOnly: Bool {
    items.count <= 16
      && (0..<items.count).allSatisfy { index in
        if case .event = items[index] { true } else { false }
      }
  }

  /// Leaves the added items to the delivering thread, if there is one.
  ///
  /// - Returns: true if another thread is delivering, and takes the items; otherwise, the caller delivers from now on.
  mutating func leaveToDeliverer() -> Bool {
    leftByOthers = isDelivering ? leftByOthers + 1 : 0
    defer { isDelivering = true }
    return isDelivering
  }

  /// Records that a call has left its items to the delivering thread.
  mutating func noteLeft() { leftByOthers += 1 }

  /// The progress of a delivery.
  enum Progress {
    /// The batch has items to deliver.
    case ready
    /// The delivery has ended, or another thread delivers.
    case over
    /// The delivery has ended, and the caller has to request a turn on the store's actor for the waiting items.
    case needsActor
    /// The delivery has ended early; there is more to deliver.
    case unfinished
    /// The delivery has ended early, and may never end: a task has to continue it when nothing else is to be done.
    case unsettled
  }

  /// Makes the delivering thread's next deliveries ready, or ends the delivery if there are none.
  ///
  /// Observers are notified only on the store's actor. Elsewhere, for example where an observer has just been added,
  /// the rest waits for a turn there.
  @inline(__always)
  mutating func advance(_ batch: inout DeliveryBatch, isElsewhere: Bool) -> Progress {
    if batch.isEmpty, !items.isEmpty {
      if isElsewhere, items[0].observer != nil {
        // The queue stays as it is, because putting items back would copy all of it.
        _ = end(&batch)
        return awaitActor() ? .needsActor : .over
      }
      batch.exchange(&items)
    }
    if batch.makeReady(isElsewhere: isElsewhere) { return .ready }
    // Only a value can fail to get ready.
    let valuesWait = !batch.isEmpty
    _ = end(&batch)
    return valuesWait && awaitActor() ? .needsActor : .over
  }

  /// Ends the delivery of values that may never settle.
  ///
  /// - Parameters:
  ///   - hasFoundCycle: true if the caller has found a cycle of bindings.
  ///   - count: the number of items that the caller has delivered.
  /// - Returns: false if there is no reason to end.
  @inline(__always)
  mutating func endUnsettled(_ batch: inout DeliveryBatch, hasFoundCycle: Bool, afterItems count: Int) -> Bool {
    if hasFoundCycle { isUnsettled = true }
    // The next thread begins a search of its own, which may not find the cycle again among many waiting values.
    guard hasFoundCycle || isUnsettled && count >= DeliveryCycleSearch.visitLimit else { return false }
    _ = end(&batch)
    return true
  }

  /// Ends the delivery.
  @inline(__always)
  mutating func end(_ batch: inout DeliveryBatch) -> Progress {
    isDelivering = false
    if !batch.isEmpty {
      batch.putBack(before: &items)
    } else if items.isEmpty {
      // Returns the memory to the queue.
      batch.exchange(&items)
    }
    if isEmpty { isUnsettled = false }
    return isEmpty ? .over : .unfinished
  }

  /// Ends the delivery if other threads have left the deliveries of `limit` calls to this thread and there is more to
  /// deliver.
  mutating func endService(after limit: Int, _ batch: inout DeliveryBatch) -> Bool {
    guard leftByOthers >= limit, !isEmpty || !batch.isEmpty else { return false }
    _ = end(&batch)
    return true
  }

  /// Records that values wait for a turn on the store's actor.
  ///
  /// - Returns: true if the caller has to request a turn; one is enough for everything that waits.
  mutating func awaitActor() -> Bool {
    defer { awaitsActor = true }
    return !awaitsActor
  }

  /// Records that the turn has come.
  mutating func reachActor() { awaitsActor = false }

  /// Adds a value to be delivered to an observer: to the end of the chain if one has begun, otherwise to the queue.
  @inline(__always)
  mutating func append(_ observer: Unmanaged<CommitObserver>, hop: DeliveryHop) {
    if isChaining { return chain(observer) }
    items.append(.value(observer.retain(), hop: hop))
  }

  // The item owns this reference until ``Item/release()``.
  mutating func append(_ event: EventRecord) { items.append(.event(.passRetained(event))) }

  // The item owns the box until ``Item/release()``.
  mutating func append(_ other: Other) { items.append(.other(.passRetained(Box(other)))) }
}

extension DeliveryQueue {
  // MARK: Chains

  /// Begins to chain the values of the next commit; the queue has to be done.
  ///
  /// Nobody else delivers then, so the committing thread can take the values at once, and notify the observers one
  /// after another as soon as the lock is released. The chain leads through the observers themselves: it takes no
  /// memory, and needs no lock to begin.
  @inline(__always)
  mutating func beginChain() { isChaining = true }

  /// Takes the chain; the caller has to notify its observers, and delivers from now on.
  @inline(__always)
  mutating func takeChain() -> Unmanaged<CommitObserver>? {
    guard isChaining else { return nil }
    isChaining = false
    guard let first = firstOfChain.take() else { return nil }
    (isDelivering, leftByOthers) = (true, 0)
    return first
  }

  /// Ends the delivery of a chain.
  ///
  /// - Returns: true if there is nothing more to deliver; otherwise, the delivery continues.
  @inline(__always)
  mutating func endChain() -> Bool {
    isDelivering = !items.isEmpty
    return !isDelivering
  }

  /// - Parameter observer: an observer without earlier waiting deliveries. The list keeps it alive until it has been
  ///   notified, or hands it to ``release(_:)``; the chain owns an observer that leaves the list with this commit.
  @inline(__always)
  private mutating func chain(_ observer: Unmanaged<CommitObserver>) {
    observer._withUnsafeGuaranteedRef { observer in
      observer.prepare()
      observer.isPrepared = true
      observer.nextInChain = nil
    }
    if firstOfChain == nil {
      firstOfChain = observer
    } else {
      lastOfChain?._withUnsafeGuaranteedRef { $0.nextInChain = observer }
    }
    lastOfChain = observer
  }

  /// Releases an observer that has left the list, once no thread can be about to notify it.
  mutating func release(_ observer: Unmanaged<CommitObserver>) {
    if isDelivering { append(.departed(observer.takeRetainedValue())) } else { observer.release() }
  }
}
