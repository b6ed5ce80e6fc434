import CAsyncStore

import Synchronization

/// One thread's round of deliveries.
///
/// A delivery may commit to another store, which then has deliveries too, and so on, perhaps in a cycle. They queue up
/// here instead of nesting: the stack stays flat however long the chain is. A cycle that does not come to rest is
/// reported and handed over to a task, so that the thread that began it can go on.
///
/// It lies in the stack of the thread, and takes no memory of its own unless a delivery leads to many others.
struct DeliveryLoop: ~Copyable {
  /// The number of times that an observer may be told in consequence of itself before that is reported.
  static let visitLimit = 1_000
  /// The number of deliveries that may follow from others before observers are counted, as they are in a long chain.
  private static let uncountedTellings = 1_024
  /// The number of those deliveries after which they may not form a cycle.
  ///
  /// A cycle that branches, in which each round leads to two more, has no long chain before its queue fills the memory.
  private static let tellingLimit = 8_192
  /// The number of other threads' calls for which one thread delivers before a task takes over.
  private static let callLimit = 1_000

  /// The store to deliver for next, and those after it; if `next` is `nil` there are no others.
  private var next: Runtime?
  private var others: Queue<Runtime>?
  /// The store that it delivers for, which it asks for more by itself.
  private var drained: ObjectIdentifier?
  private var hop = 0
  /// The number of deliveries of this thread that followed from others.
  private var tellings = 0
  /// The number of different hops at which each binding was told, counted once the chain is long.
  private var visits: Visits?
  fileprivate typealias Visits = [ObjectIdentifier: Visit]
  /// The observer that is being told, or was told last, in a chain so long that observers are counted.
  private var told: ObjectIdentifier?
  private var isUnsettled = false
  /// True for a loop that delivers nothing itself, and only records which deliveries have led to the running code.
  private var isTrail = false

  /// This thread's loop, while it delivers.
  ///
  /// The pointer is valid: the loop lies in the frame of a call that has not returned, and that resets the pointer
  /// before it does. A delivery may reach the loop by this pointer, so no access to the loop may last while a delivery
  /// is made.
  private static var current: UnsafeMutablePointer<DeliveryLoop>? {
    Thread.record.pointee.deliveryLoop?.assumingMemoryBound(to: DeliveryLoop.self)
  }

  /// True if this thread delivers.
  static var isRunning: Bool { Thread.record.pointee.deliveryLoop != nil }

  /// Returns whether this thread delivers for a store now.
  static func isDelivering(for store: Runtime) -> Bool { current?.pointee.drained == ObjectIdentifier(store) }

  /// Notes that a delivery has led to a commit in this store, which is delivered in any case.
  static func noteCommit(in store: Runtime) { current?.pointee.noteCommit(in: store) }

  @inline(__always)
  private mutating func noteCommit(in store: Runtime) {
    if let told { noteChange(of: store, by: told) }
  }

  @inline(never)
  private mutating func noteChange(of store: Runtime, by told: ObjectIdentifier) {
    visits?[told]?.changed.insert(ObjectIdentifier(store))
  }

  /// The number of deliveries that led to what this thread does now.
  static var nextHop: Int { current.map { $0.pointee.hop + 1 } ?? 0 }
  /// The number of deliveries that led to the one that this thread makes now.
  static var hop: Int { current.map { $0.pointee.hop } ?? 0 }

  /// Delivers what has been queued for a store's observers, or leaves it to whoever delivers already.
  static func deliver(from store: Runtime) {
    // A delivery calls users' code and locks other stores.
    if Thread.hasLockedStore { return DeferredWork.whenUnlocked { deliver(from: store) } }
    if let current {
      current.pointee.noteCommit(in: store)
      if !current.pointee.isTrail { return current.pointee.append(store) }
    }
    run(from: store)
  }

  /// Tells the observers of a chain, and delivers what has been queued in the meantime.
  ///
  /// By the queue a single bound store takes 1,300 instructions and not 770 (`Tests/Benchmarks/instructions P9a`).
  static func deliver(_ chain: Unmanaged<CommitObserver>, from store: Runtime) {
    var loop = DeliveryLoop()
    withUnsafeMutablePointer(to: &loop) { loop in
      let thread = Thread.record
      thread.pointee.deliveryLoop = UnsafeMutableRawPointer(loop)
      loop.pointee.drained = ObjectIdentifier(store)
      tell(chain, loop)
      if !store.endChain() { drain(store, isDelivering: true, loop) }
      loop.pointee.drained = nil
      if loop.pointee.next != nil || loop.pointee.isUnsettled { drainOthers(loop) }
      thread.pointee.deliveryLoop = nil
    }
  }

  private static func run(from store: Runtime, and others: [Runtime] = []) {
    var loop = DeliveryLoop()
    withUnsafeMutablePointer(to: &loop) { loop in
      for other in others { loop.pointee.append(other) }
      let thread = Thread.record
      let outer = current
      if let outer {
        swap(&loop.pointee.visits, &outer.pointee.visits)
        loop.pointee.told = outer.pointee.told
        loop.pointee.tellings = outer.pointee.tellings
      }
      thread.pointee.deliveryLoop = UnsafeMutableRawPointer(loop)
      drain(store, loop)
      drainOthers(loop)
      // After a report the count begins anew.
      if let outer {
        outer.pointee.visits = loop.pointee.isUnsettled ? nil : loop.pointee.visits
        outer.pointee.tellings = loop.pointee.isUnsettled ? 0 : loop.pointee.tellings
      }
      thread.pointee.deliveryLoop = outer.map { UnsafeMutableRawPointer($0) }
    }
  }

  /// The deliveries that have led to what this thread does, for the task that goes on with that.
  struct Trail {
    fileprivate(set) var hop: Int
    fileprivate var visits: Visits?
    fileprivate var told: ObjectIdentifier?
  }

  static var trail: Trail? {
    current.map { Trail(hop: $0.pointee.hop, visits: $0.pointee.visits, told: $0.pointee.told) }
  }

  /// Sets the hop of what this thread does next, which follows from an earlier delivery.
  static func goOn(at hop: Int) { current?.pointee.hop = hop }

  /// Runs `body`, which follows from deliveries on another thread, with their trail.
  static func follow(_ trail: Trail?, _ body: () -> Void) {
    guard let trail else { return body() }
    var loop = DeliveryLoop()
    (loop.hop, loop.visits, loop.told, loop.isTrail) = (trail.hop, trail.visits, trail.told, true)
    withUnsafeMutablePointer(to: &loop) { loop in
      let thread = Thread.record
      let outer = thread.pointee.deliveryLoop
      thread.pointee.deliveryLoop = UnsafeMutableRawPointer(loop)
      body()
      thread.pointee.deliveryLoop = outer
    }
  }

  /// Delivers for the stores that other deliveries have committed to.
  private static func drainOthers(_ loop: UnsafeMutablePointer<DeliveryLoop>) {
    while !loop.pointee.isUnsettled, let store = loop.pointee.popNext() { drain(store, loop) }
    if loop.pointee.isUnsettled { handOver(loop.pointee.takeAll(), priority: .low) }
  }

  @inline(__always)
  private static func tell(_ chain: Unmanaged<CommitObserver>, _ loop: UnsafeMutablePointer<DeliveryLoop>) {
    var next = Optional(chain)
    while let observer = next {
      let leavesOnceTold = observer._withUnsafeGuaranteedRef { observer in
        next = observer.nextInChain
        tell(observer, at: 0, of: nil, in: nil, loop)
        return observer.leavesOnceTold
      }
      if leavesOnceTold { observer.release() }
    }
  }

  private mutating func append(_ store: Runtime) {
    if drained == ObjectIdentifier(store) { return }
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

  /// Delivers what a store has, until there is no more or another thread or a task has taken it over.
  private static func drain(
    _ store: Runtime, isDelivering: Bool = false, _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    var batch = DeliveryBatch()
    loop.pointee.drained = ObjectIdentifier(store)
    var progress = store.beginDelivery(&batch, isDelivering: isDelivering)
    var count = 0
    while case .ready = progress {
      while let item = batch.popReady() {
        deliver(item, of: store, loop)
        item.release()
      }
      count += 1
      // Threads that commit without a pause would keep this thread in its own call for as long as they do.
      let limit = count % 16 == 0 ? callLimit : .max
      progress = store.continueDelivery(&batch, afterCalls: limit, isUnsettled: loop.pointee.isUnsettled)
    }
    loop.pointee.drained = nil
    switch progress {
    case .ready, .over: break
    case .needsTurn: store.requestTurn()
    case .unfinished where loop.pointee.isUnsettled: loop.pointee.append(store)
    case .unfinished: handOver([store], priority: nil)
    }
  }

  @inline(__always)
  private static func deliver(
    _ item: DeliveryQueue.Item, of store: Runtime, _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    switch item {
    case .value(let observer, let hop):
      observer._withUnsafeGuaranteedRef { tell($0, at: hop, of: store, in: nil, loop) }
    case .event(let event):
      if let instrument = store.instrumentation?.instrument { event._withUnsafeGuaranteedRef { $0.tell(instrument) } }
    case .other(let box):
      deliver(box._withUnsafeGuaranteedRef { $0.content }, of: store, loop)
    }
  }

  @inline(never)
  private static func deliver(
    _ other: DeliveryQueue.Other, of store: Runtime, _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    switch other {
    case .wrapped(let observer, let hop, let wrapper): tell(observer, at: hop, of: store, in: wrapper, loop)
    case .end(let observer): observer.end()
    case .departed, .released: break
    }
  }

  @inline(__always)
  private static func tell(
    _ observer: CommitObserver, at hop: Int, of store: Runtime?, in wrapper: DeliveryWrapper?,
    _ loop: UnsafeMutablePointer<DeliveryLoop>
  ) {
    loop.pointee.hop = hop
    if hop > 0, let store, loop.pointee.isLong() {
      if let cycle = loop.pointee.count(observer, at: hop, of: store) { store.reportUnsettled(cycle) }
    } else {
      loop.pointee.told = nil
    }
    if !observer.hasDeparted.load(ordering: .acquiring) {
      if let wrapper { wrapper { observer.deliver() } } else { observer.deliver() }
    }
    observer.releaseValue()
    observer.isPrepared = false
  }

  /// Counts a delivery that follows from another one.
  ///
  /// - Returns: true if the chain of deliveries, or all that followed from the first ones, are so long that observers
  ///   are counted.
  @inline(__always)
  private mutating func isLong() -> Bool {
    tellings &+= 1
    return hop > 64 || tellings > Self.uncountedTellings
  }

  /// Counts that an observer is told.
  ///
  /// - Returns: the bindings of a cycle that does not settle, if this call has found it.
  @inline(never)
  private mutating func count(_ observer: CommitObserver, at hop: Int, of store: Runtime) -> [EffectID]? {
    let member = observer.cycleMember
    told = member
    var visit = visits?[member] ?? Visit(identifier: observer.identifier, observed: ObjectIdentifier(store))
    visit.tellings += 1
    if hop > visit.hop {
      visit.hop = hop
      visit.count += 1
    }
    visits = visits ?? [:]
    visits?[member] = visit
    guard !isUnsettled, let cycle = unsettledCycle(with: visit) else { return nil }
    isUnsettled = true
    return cycle.compactMap(\.identifier)
  }

  /// Returns the observers of a cycle that does not come to rest, if the last one that was told is taken for such a
  /// one's.
  private func unsettledCycle(with visit: Visit) -> [Visit]? {
    guard let visits else { return nil }
    if visit.hop > 64, visit.count >= Self.visitLimit {
      return Visit.onCycle(visits.values.filter { $0.count > Self.visitLimit / 2 })
    }
    guard tellings % Self.tellingLimit == 0 else { return nil }
    // Many deliveries without a cycle are only many.
    let cycle = Visit.onCycle(visits.values.filter { $0.tellings > Self.visitLimit })
    return cycle.isEmpty ? nil : cycle
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

extension DeliveryLoop {
  /// An observer that has been told again and again, with the store that it observes and those that it has changed.
  fileprivate struct Visit {
    let identifier: EffectID?
    let observed: ObjectIdentifier
    var changed: Set<ObjectIdentifier> = []
    /// The number of different hops at which it was told.
    var count = 0
    /// The number of times that it was told.
    var tellings = 0
    var hop = -1

    /// Returns the visits whose changes lead to others among them, without observers that only watch, as far as is
    /// known.
    static func onCycle(_ visits: [Visit]) -> [Visit] {
      let observed = Set(visits.map(\.observed))
      let leading = visits.filter { !$0.changed.isDisjoint(with: observed) }
      return leading.count == visits.count ? visits : onCycle(leading)
    }
  }
}
