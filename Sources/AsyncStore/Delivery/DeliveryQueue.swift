/// The deliveries to observers and instruments, in the order of the commits.
///
/// There are many values, and counting the references to their observers would be most of a delivery's cost. So this is
/// done by hand: each item owns a reference from `append` until ``Item/release()``.
struct DeliveryQueue: ~Copyable {
  enum Item {
    /// A value of an observer; `hop` tells which deliveries led to its commit.
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

    /// Releases the item: once for each, after the lock; nothing may touch it afterwards.
    func release() {
      switch self {
      case .value(let observer, _): observer.release()
      case .event(let event): event.release()
      case .other(let box): box.release()
      }
    }
  }

  /// A delivery that is rarer than a value and an event.
  enum Other: Sendable {
    /// A value of a commit that is delivered inside a wrapper.
    case wrapped(CommitObserver, hop: DeliveryHop, DeliveryWrapper)
    /// The store has ended: no more values come.
    case end(CommitObserver)
    /// An observer that has departed, kept only to release its last reference after the lock.
    case departed(CommitObserver)
    /// An event that is about no effect.
    case report(InstrumentEvent)
    /// One or several values that are kept only to be released after the lock.
    case released(any Sendable)
  }

  final class Box: Sendable {
    let content: Other

    init(_ content: Other) { self.content = content }
  }

  private var items = UniqueArray<Item>()
  /// True while a thread is delivering, which also takes what is added meanwhile.
  private(set) var isDelivering = false
  /// True if values wait for a turn on the store's actor, which has been requested.
  private var awaitsActor = false
  /// The number of calls whose deliveries other threads have left to the delivering thread.
  private var leftByOthers = 0
  /// True while the values of a commit are chained, and not queued.
  private(set) var isChaining = false
  private var firstOfChain: Unmanaged<CommitObserver>?
  private var lastOfChain: Unmanaged<CommitObserver>?

  deinit { for index in 0..<items.count { items[index].release() } }

  /// True if nothing waits, save for what a delivering thread has taken.
  var isEmpty: Bool { items.isEmpty }

  /// True if all that waits is a few events for the instrument.
  var hasFewEventsOnly: Bool {
    items.count <= 16
      && (0..<items.count).allSatisfy { index in
        if case .event = items[index] { true } else { false }
      }
  }

  /// Leaves what was added to the thread that is delivering, if there is one.
  ///
  /// - Returns: true if another thread is delivering, which takes what was added; if not, the caller delivers from now
  ///   on.
  mutating func leaveToDeliverer() -> Bool {
    leftByOthers = isDelivering ? leftByOthers + 1 : 0
    defer { isDelivering = true }
    return isDelivering
  }

  /// Records that a call has left what it added to the thread that is delivering.
  mutating func noteLeft() { leftByOthers += 1 }

  /// The progress of a delivery.
  enum Progress {
    /// The batch has items to deliver.
    case ready
    /// The delivery has ended, or another thread delivers.
    case over
    /// The delivery has ended, and a turn on the store's actor has to be requested for what waits.
    case needsActor
    /// The delivery has ended early, and there is more to deliver.
    case unfinished
  }

  /// Makes the next deliveries of the delivering thread ready, or ends the delivery if there are none.
  ///
  /// Observers are told on the store's actor only. Elsewhere, for instance where one has just been added, the rest
  /// waits for a turn there.
  @inline(__always)
  mutating func advance(_ batch: inout DeliveryBatch, isElsewhere: Bool) -> Progress {
    if batch.isEmpty, !items.isEmpty {
      if isElsewhere, items[0].observer != nil {
        // The queue stays as it is, because to put it back would copy all of it.
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

  /// Ends the delivery.
  @inline(__always)
  mutating func end(_ batch: inout DeliveryBatch) -> Progress {
    isDelivering = false
    if !batch.isEmpty {
      batch.putBack(before: &items)
    } else if items.isEmpty {
      // The queue has its memory back.
      batch.exchange(&items)
    }
    return isEmpty ? .over : .unfinished
  }

  /// Ends the delivery if other threads have left the deliveries of `limit` calls to this one and there is more to
  /// deliver.
  mutating func endService(after limit: Int, _ batch: inout DeliveryBatch) -> Bool {
    guard leftByOthers >= limit, !isEmpty || !batch.isEmpty else { return false }
    _ = end(&batch)
    return true
  }

  /// Records that values wait for a turn on the store's actor.
  ///
  /// - Returns: true if a turn has to be requested; one is enough for everything that waits.
  mutating func awaitActor() -> Bool {
    defer { awaitsActor = true }
    return !awaitsActor
  }

  /// Records that the turn has come.
  mutating func reachActor() { awaitsActor = false }

  /// Notes that an observer has a value to be told of: at the end of the chain, if one has begun, or else of the queue.
  @inline(__always)
  mutating func append(_ observer: Unmanaged<CommitObserver>, hop: DeliveryHop) {
    if isChaining { return chain(observer) }
    items.append(.value(observer.retain(), hop: hop))
  }

  mutating func append(_ event: EventRecord) { items.append(.event(.passRetained(event))) }

  mutating func append(_ other: Other) { items.append(.other(.passRetained(Box(other)))) }
}

extension DeliveryQueue {
  // MARK: Chains

  /// Begins to chain the values of the commit that follows, unless others have to be delivered before.
  ///
  /// Nobody else delivers then, so that the thread which commits can take the values at once, and tell the observers
  /// one after another as soon as the lock is released. The chain leads through the observers themselves: it takes no
  /// memory, and needs no lock to begin.
  @inline(__always)
  mutating func beginChain() { isChaining = !isDelivering && items.isEmpty }

  /// Takes the chain, whose observers the caller has to tell; it delivers from now on.
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
  /// - Returns: true if there is nothing more to deliver; if not, the delivery goes on.
  @inline(__always)
  mutating func endChain() -> Bool {
    isDelivering = !items.isEmpty
    return !isDelivering
  }

  /// - Parameter observer: has no earlier delivery waiting. The list keeps it alive until it has been told, or hands it
  ///   to ``release(_:)``; the chain owns an observer that leaves the list with this commit.
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

  /// Releases an observer that has left the list, when nobody can be about to tell it any more.
  mutating func release(_ observer: Unmanaged<CommitObserver>) {
    if isDelivering { append(.departed(observer.takeRetainedValue())) } else { observer.release() }
  }
}
