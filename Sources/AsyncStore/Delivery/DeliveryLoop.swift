import Synchronization

/// One thread's round of deliveries.
///
/// A delivery may commit to another store, which then has deliveries too, and so on, perhaps in a circle. They queue up
/// here instead of nesting: the stack stays flat however long the chain is. A circle that does not settle is reported
/// and handed over to a task, so that the thread that began it can go on.
final class DeliveryLoop {
  private static let current = ThreadVariable<DeliveryLoop>()
  /// The number of times that an observer's own consequences may reach it again before that is reported.
  static let patience = 1_000
  /// The number of other threads' calls for which one thread delivers before a task takes over.
  private static let service = 1_000

  private var stores: [Runtime] = []
  /// The items taken under one lock.
  private var batch: ContiguousArray<DeliveryQueue.Item> = []
  private var hop = 0
  /// The number of different hops at which each binding was told, counted once the chain is long.
  private var visits: [ObjectIdentifier: (count: Int, hop: Int, identifier: EffectID?)] = [:]
  private var isUnsettled = false

  /// The number of deliveries that led to what this thread does now.
  static var nextHop: Int { current.value.map { $0.hop + 1 } ?? 0 }

  static func deliver(from store: Runtime) {
    if let loop = current.value {
      loop.stores.append(store)
      return
    }
    DeliveryLoop().run(from: [store])
  }

  private func run(from stores: [Runtime]) {
    self.stores = stores
    let outer = Self.current.value
    Self.current.value = self
    defer { Self.current.value = outer }
    var next = 0
    while next < self.stores.count, !isUnsettled {
      let store = self.stores[next]
      next += 1
      if next >= 1024, next * 2 >= self.stores.count {
        self.stores.removeFirst(next)
        next = 0
      }
      guard !drain(store) else { continue }
      self.stores.append(store)
    }
    if isUnsettled { handOver(Array(self.stores[next...]), priority: .low) }
  }

  /// - Returns: true if the store has nothing more to deliver, or another thread or a task has taken it over.
  private func drain(_ store: Runtime) -> Bool {
    let isTaken = store.lock { $0.deliveries.leaveToDeliverer() }
    if isTaken { return true }
    var batches = 0
    while !isUnsettled, store.takeDeliveries(into: &batch) {
      for item in batch {
        deliver(item, of: store)
        item.release()
      }
      batch.removeAll(keepingCapacity: true)
      batches += 1
      // Threads that commit without a pause would keep this thread in its own call for as long as they do.
      if batches % 16 == 0, store.lock({ $0.deliveries.endService(after: Self.service) }) {
        handOver([store], priority: nil)
        return true
      }
    }
    guard isUnsettled else { return true }
    return store.lock { $0.deliveries.endDelivery() }
  }

  private func deliver(_ item: DeliveryQueue.Item, of store: Runtime) {
    switch item {
    case .value(let observer, let hop):
      observer._withUnsafeGuaranteedRef { tell($0, at: hop, of: store, in: nil) }
    case .event(let event):
      if let instrument = store.instrumentation?.instrument { event._withUnsafeGuaranteedRef { $0.tell(instrument) } }
    case .other(let box):
      switch box._withUnsafeGuaranteedRef({ $0.content }) {
      case .wrapped(let observer, let hop, let wrapper):
        tell(observer, at: hop, of: store, in: wrapper)
      case .end(let observer):
        observer.end()
      case .departed, .released:
        break
      }
    }
  }

  @inline(__always)
  private func tell(_ observer: CommitObserver, at hop: Int, of store: Runtime, in wrapper: DeliveryWrapper?) {
    self.hop = hop
    if hop > 64 { count(observer, at: hop, in: store) }
    if !observer.hasDeparted.load(ordering: .acquiring) {
      if let wrapper { wrapper { observer.deliver() } } else { observer.deliver() }
    }
    observer.releaseValue()
    observer.isPrepared = false
  }

  private func count(_ observer: CommitObserver, at hop: Int, in store: Runtime) {
    var visit = visits[observer.circleMember] ?? (0, -1, observer.identifier)
    guard hop > visit.hop else { return }
    visit.hop = hop
    visit.count += 1
    visits[observer.circleMember] = visit
    guard visit.count >= Self.patience, !isUnsettled else { return }
    isUnsettled = true
    let identifiers = visits.values.filter { $0.count > Self.patience / 2 }.compactMap(\.identifier)
    store.reportUnsettled(identifiers.sorted { $0.description < $1.description })
  }

  private func handOver(_ stores: [Runtime], priority: TaskPriority?) {
    guard let first = stores.first else { return }
    Task.detached(executorPreference: first.executor, priority: priority) {
      await Task.yield()
      DeliveryLoop().run(from: stores)
    }
  }
}

extension Runtime {
  /// Takes the next deliveries, several under one lock, but only one value of each observer at a time.
  ///
  /// Observers are told on the store's actor only. On another thread, for example the one that has just added an
  /// observer, what is left waits for a turn there.
  ///
  /// - Returns: true if there is anything to deliver; if not, the delivery has ended.
  fileprivate func takeDeliveries(into batch: inout ContiguousArray<DeliveryQueue.Item>) -> Bool {
    let isElsewhere = !isOnIsolation()
    var needsTurn = false
    lock { core in
      while batch.count < 32, let next = core.deliveries.next {
        if let observer = next.observer {
          needsTurn = isElsewhere
          let isTaken = observer._withUnsafeGuaranteedRef { observer in
            if isElsewhere || observer.isPrepared { return false }
            observer.prepare()
            observer.isPrepared = true
            return true
          }
          if !isTaken { break }
        }
        batch.append(next)
        core.deliveries.removeFirst()
      }
      if batch.isEmpty {
        _ = core.deliveries.endDelivery()
        needsTurn = needsTurn && core.deliveries.awaitTurn()
      }
    }
    guard batch.isEmpty else { return true }
    if needsTurn {
      takeTurn { runtime in
        runtime.lock { $0.deliveries.beginTurn() }
        DeliveryLoop.deliver(from: runtime)
      }
    }
    return false
  }

  fileprivate func reportUnsettled(_ identifiers: [EffectID]) {
    let names = identifiers.map(\.description).joined(separator: ", ")
    let isNews = lock { core in
      defer { core.unsettled = names }
      return core.unsettled != names
    }
    guard isNews else { return }
    if let instrumentation, instrumentation.events.contains(.unsettledBindings),
      let instrument = instrumentation.instrument
    {
      instrument.record(InstrumentEvent(.unsettledBindings(identifiers), nil, in: identity, at: time.now()))
    } else {
      Thread.warn(
        "AsyncStore: bindings in a circle have not settled after \(DeliveryLoop.patience) rounds: \(names). Map equal values to equal values, or break the circle."
      )
    }
  }
}
