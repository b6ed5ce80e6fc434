import CAsyncStore

import Synchronization

/// One thread's round of deliveries.
///
/// A delivery may commit to another store, which then has deliveries too, and so on, possibly in a cycle. They queue up
/// here instead of nesting, so that the stack stays flat however long the chain is. A cycle that does not settle is
/// reported and handed over to a task, so that the thread that began it can continue.
///
/// The loop is stored on the thread's stack, and takes no memory of its own unless a delivery leads to many others.
struct DeliveryLoop: ~Copyable {
  /// The number of other threads' calls that one thread delivers for before a task takes over.
  private static let servedCallLimit = 1_000
  /// The same limit for a thread that has an operation to begin.
  private static let operationCallLimit = 16

  /// The next store to deliver for, and those after it; if `next` is `nil`, there are none.
  private var next: Runtime?
  private var others: Queue<Runtime>?
  /// The store that the loop is delivering for, which is asked for more deliveries anyway.
  private var currentStore: ObjectIdentifier?
  var hop = DeliveryHop.none
  var search = DeliveryCycleSearch()
  /// True while code runs that is not itself a delivery; its consequences are delivered at once.
  var isFollowing = false
  /// True if that code currently follows from no delivery.
  var followsNothing = false
  /// True on a thread with an operation to begin, which reports a few events to an instrument and notifies nobody else.
  private var delaysOperation = false
  /// The number of loops on the stack around this one.
  var depth = 0
  /// The maximum number of loops on the stack at which a turn still gets a loop of its own.
  static let greatestDepth = 16

  /// This thread's loop, while the thread delivers.
  ///
  /// The pointer is valid: the loop lies in the frame of a call that has not returned, and that resets the pointer
  /// before it does. A delivery may reach the loop through this pointer, so no access to the loop may last across a
  /// delivery.
  static var current: UnsafeMutablePointer<DeliveryLoop>? {
    Thread.record.pointee.deliveryLoop?.assumingMemoryBound(to: DeliveryLoop.self)
  }

  /// True if this thread delivers, or continues the consequences of deliveries elsewhere.
  static var isRunning: Bool { Thread.record.pointee.deliveryLoop != nil }

  /// Returns whether this thread is currently delivering for a store.
  static func isDelivering(for store: Runtime) -> Bool { current?.pointee.currentStore == ObjectIdentifier(store) }

  /// Records which observers to notify of a store's commit, under its lock.
  ///
  /// - Returns: the deliveries to make after the lock.
  static func noteCommit(of store: Runtime, _ core: inout Core) -> CommitDelivery {
    // This thread delivers in a chain, unless earlier values are still to be delivered. A nested commit, or a commit in
    // a mutation of another store, is delivered later.
    if core.deliveries.isDone, !isRunning, !DeferredWork.isNested { core.deliveries.beginChain() }
    core.noteCommit(store.content.state, in: nil)
    if let first = core.deliveries.takeChain() { return .values(first) }
    return store.mustDeliver(&core) ? .queued : .none
  }

  /// Records a delivery for each observer that sees a new value in the state, inside the wrapper if there is one.
  static func note(
    _ state: UnsafeRawPointer, _ observers: inout ObserverList, _ deliveries: inout DeliveryQueue,
    in wrapper: DeliveryWrapper? = nil
  ) {
    var hop: DeliveryHop?
    observers.removeAll { reference in
      reference._withUnsafeGuaranteedRef { observer in
        if observer.hasDeparted.load(ordering: .relaxed) {
          deliveries.append(.departed(reference.takeRetainedValue()))
          return true
        }
        guard observer.note(state) else { return false }
        // Outside deliveries, the hop is the same for all observers.
        let known = if let hop, hop.count == 0 { hop } else { Self.hop(toNewsOf: observer) }
        hop = known
        if let wrapper {
          deliveries.append(.wrapped(observer, hop: known, wrapper))
        } else {
          deliveries.append(reference, hop: known)
        }
        // The chain takes over the list's reference; in the queue, the delivery has one of its own.
        if observer.leavesOnceNotified, !deliveries.isChaining { reference.release() }
        return observer.leavesOnceNotified
      }
    }
    if !observers.groups.isEmpty { observers.noteGroups(state, &deliveries, in: wrapper) }
  }

  /// Delivers the values queued for a store's observers, or leaves them to a thread that is already delivering.
  ///
  /// - Parameter delaysOperation: true if this thread has an operation to begin afterwards.
  static func deliver(from store: Runtime, delaysOperation: Bool = false) {
    // A delivery calls user code and locks other stores.
    if Thread.hasLockedStore { return DeferredWork.whenUnlocked { deliver(from: store) } }
    guard let current else { return run(from: store, delaysOperation: delaysOperation) }
    current.pointee.append(store)
    if current.pointee.isFollowing { deliverMeanwhile(current) }
  }

  /// Delivers the consequences of a commit.
  static func deliver(_ delivery: CommitDelivery, from store: Runtime) {
    switch delivery {
    case .none: break
    case .queued: deliver(from: store)
    case .values(let first): deliver(first, from: store)
    }
  }

  /// Notifies the observers of a chain, and delivers values queued meanwhile.
  ///
  /// Through the queue, a single bound store takes 1,160 instructions instead of 730 (`Tests/Benchmarks/instructions
  /// P9a`).
  private static func deliver(_ chain: Unmanaged<CommitObserver>, from store: Runtime) {
    var loop = DeliveryLoop()
    run(in: &loop) { loop in
      loop.pointee.currentStore = ObjectIdentifier(store)
      notify(chain, loop)
      if !store.lockInlined({ $0.deliveries.endChain() }) { deliverAll(store, isDelivering: true, loop) }
      loop.pointee.currentStore = nil
    }
  }

  private static func run(from store: Runtime, and others: [Runtime] = [], delaysOperation: Bool = false) {
    var loop = DeliveryLoop()
    loop.delaysOperation = delaysOperation
    for other in others { loop.append(other) }
    run(in: &loop) { loop in deliverAll(store, loop) }
  }

  /// Runs `body` in this loop, and delivers for the stores that `body` has added.
  @inline(__always)
  static func run(in loop: inout DeliveryLoop, _ body: (UnsafeMutablePointer<DeliveryLoop>) -> Void) {
    withUnsafeMutablePointer(to: &loop) { loop in
      let thread = Thread.record
      let outer = thread.pointee.deliveryLoop
      thread.pointee.deliveryLoop = UnsafeMutableRawPointer(loop)
      body(loop)
      if loop.pointee.next != nil || loop.pointee.search.hasFoundCycle { deliverOthers(loop) }
      thread.pointee.deliveryLoop = outer
    }
  }

  /// Delivers in the middle of the code that led to the deliveries.
  ///
  /// Once a cycle has been found, a task delivers instead, because effects of the cycle that wait for this code would
  /// keep it running without an end.
  private static func deliverMeanwhile(_ loop: UnsafeMutablePointer<DeliveryLoop>) {
    let (hop, lastNotified) = (loop.pointee.hop, loop.pointee.search.lastNotified)
    loop.pointee.isFollowing = false
    deliverOthers(loop)
    loop.pointee.isFollowing = true
    (loop.pointee.hop, loop.pointee.search.lastNotified) = (hop, lastNotified)
  }

  /// Delivers for the stores that other deliveries have committed to.
  private static func deliverOthers(_ loop: UnsafeMutablePointer<DeliveryLoop>) {
    while !loop.pointee.search.hasFoundCycle, let store = loop.pointee.popNext() { deliverAll(store, loop) }
    guard loop.pointee.search.hasFoundCycle else { return }
    handOver(unsettled: loop.pointee.takeAll())
  }

  private static func handOver(unsettled stores: [Runtime]) {
    // Otherwise a simulation would come to its limit of jobs only after a thousand times as many rounds.
    stores.first?.simulatedExecutor?.countJobs(DeliveryCycleSearch.visitLimit)
    handOver(stores, priority: .low)
  }

  @inline(__always)
  private static func notify(_ chain: Unmanaged<CommitObserver>, _ loop: UnsafeMutablePointer<DeliveryLoop>) {
    var next = Optional(chain)
    while let observer = next {
      // The list keeps each observer alive until it has been notified, or else the chain owns it.
      let leavesOnceNotified = observer._withUnsafeGuaranteedRef { observer in
        next = observer.nextInChain
        notify(observer, at: .none, of: nil, in: nil, loop)
        return observer.leavesOnceNotified
      }
      if leavesOnceNotified { observer.release() }
    }
  }

  private mutating func append(_ store: Runtime) {
    if currentStore == ObjectIdentifier(store) { return }
    if next == nil {
      next = store
    } else {
      if others == nil { others = Queue() }
      others?.append(store)
    }
  }

  @inline(__always)
  private mutating func popNext() -> Runtime? {
    let store = next.take()
    if others != nil { next = others?.popFirst() }
    return store
  }

  private mutating func takeAll() -> [Runtime] {
    var stores: [Runtime] = []
    while let store = popNext() { stores.append(store) }
    return stores
  }

  /// Delivers a store's values until there are no more, or until another thread or a task has taken over.
  private static func deliverAll(
    _ store: Runtime, isDelivering: Bool = false, _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    var batch = DeliveryBatch()
    var reported = SpareRecords()
    loop.pointee.currentStore = ObjectIdentifier(store)
    var progress = store.beginDelivery(
      &batch, isDelivering: isDelivering, delaysOperation: loop.pointee.delaysOperation)
    var (count, itemCount) = (0, 0)
    while case .ready = progress {
      while let item = batch.popReady() {
        deliver(item, of: store, &reported, loop)
        itemCount += 1
      }
      count += 1
      // Threads that commit without a pause would keep this thread in its own call for as long as they do.
      let limit = loop.pointee.delaysOperation ? operationCallLimit : count % 16 == 0 ? servedCallLimit : .max
      progress = store.continueDelivery(
        &batch, &reported, afterItems: itemCount, calls: limit, hasFoundCycle: loop.pointee.search.hasFoundCycle,
        delaysOperation: loop.pointee.delaysOperation)
    }
    loop.pointee.currentStore = nil
    switch progress {
    case .ready, .over: break
    case .needsActor: store.deliverOnActor()
    case .unsettled where loop.pointee.search.hasFoundCycle: loop.pointee.append(store)
    case .unsettled: handOver(unsettled: [store])
    case .unfinished: handOver([store], priority: nil)
    }
  }

  /// Delivers and releases an item.
  @inline(__always)
  private static func deliver(
    _ item: DeliveryQueue.Item, of store: Runtime, _ reported: inout SpareRecords,
    _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    switch item {
    case .value(let observer, let hop):
      observer._withUnsafeGuaranteedRef { notify($0, at: hop, of: store, in: nil, loop) }
    case .event(let event):
      event._withUnsafeGuaranteedRef { store.instrumentation?.report($0, in: store.number) }
      return reported.release(event)
    case .other(let box):
      deliver(box._withUnsafeGuaranteedRef { $0.content }, of: store, loop)
    }
    item.release()
  }

  @inline(never)
  private static func deliver(
    _ other: DeliveryQueue.Other, of store: Runtime, _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    switch other {
    case .wrapped(let observer, let hop, let wrapper): notify(observer, at: hop, of: store, in: wrapper, loop)
    case .end(let observer): observer.end()
    case .report(let event): store.instrumentation?.instrument.record(event)
    case .reached(let body): body()
    case .departed, .released: break
    }
  }

  @inline(__always)
  private static func notify(
    _ observer: CommitObserver, at hop: DeliveryHop, of store: Runtime?, in wrapper: DeliveryWrapper?,
    _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    if hop.count == 0 {
      loop.pointee.hop = hop
      loop.pointee.search.noteFirst()
    } else {
      loop.pointee.hop = loop.pointee.search.note(observer, at: hop)
      if let cycle = loop.pointee.search.takeCycle() { store?.reportUnsettled(cycle) }
    }
    if !observer.hasDeparted.load(ordering: .acquiring) {
      if let wrapper { wrapper { observer.deliver() } } else { observer.deliver() }
    }
    observer.releaseValue()
    observer.isPrepared = false
  }

  private static func handOver(_ stores: [Runtime], priority: TaskPriority?) {
    guard let first = stores.first else { return }
    Task.detached(executorPreference: first.executor, priority: priority) {
      await Task.yield()
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      run(from: first, and: Array(stores.dropFirst()))
    }
  }
}
