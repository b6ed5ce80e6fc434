import Synchronization

/// Something that is told of commits: a binding, an asynchronous sequence of values, Observation's tracking.
///
/// What happens under the store's lock and what after it are separate calls. `hop` says how many deliveries led to the commit
/// that is being delivered: 0 for one that comes from outside.
///
/// `@unchecked` because the class is not final, and for `index`, which is touched only while the observed store is locked. Of what
/// subclasses add each says itself why it is safe.
class CommitObserver: @unchecked Sendable {
  /// The place in the store's list.
  var index = -1
  /// It has left while the store was locked by its own thread; it is told of no further commit.
  let isDetached = Atomic<Bool>(false)
  var identifier: EffectID? { nil }
  /// Whether it leaves the store's list with the first commit that it is told of.
  var leavesOnceTold: Bool { false }
  /// Whether it is told of no more commits once the store has been deactivated, not even when it is active again.
  var endsWithActivity: Bool { true }

  /// Looks at the state after a commit, under the lock; the pointer is to a value of the observed store's own type.
  ///
  /// - Returns: whether there is something new to deliver.
  func note(_ state: UnsafeRawPointer) -> Bool { preconditionFailure("abstract") }

  /// Looks at the state after a change that is not told of, under the lock.
  func noteSilently(_ state: UnsafeRawPointer) {}

  /// Takes the oldest value that has not been delivered.
  ///
  /// Under the lock.
  func prepare() { preconditionFailure("abstract") }
  /// Delivers what was prepared, after the lock.
  ///
  /// Only one thread at a time delivers for a store.
  func deliver() { preconditionFailure("abstract") }
  /// The store is ending: its last state, under the lock.
  func willEnd(_ state: UnsafeRawPointer) {}
  /// The store has ended: no more values come.
  func end() {}
}

/// What has to be told to observers and instruments, in the order of the commits.
struct DeliveryQueue {
  enum Item {
    case value(CommitObserver, hop: Int)
    /// The same, of a commit that is delivered inside a wrapper.
    indirect case wrapped(CommitObserver, hop: Int, DeliveryWrapper)
    /// In a box, so that values, which are many, stay small.
    indirect case event(InstrumentEvent)
    /// The store has ended: no more values come.
    case end(CommitObserver)
  }

  /// Taken items leave a hole: what they hold is let go of by whoever took them, and not under the lock.
  private var items: ContiguousArray<Item?> = []
  private var first = 0
  /// A thread is delivering; it takes what is added meanwhile too.
  var isDelivering = false

  var isEmpty: Bool { first == items.count }

  /// Whether an observer comes next, and not an instrument.
  var isValueNext: Bool {
    guard first < items.count else { return false }
    return switch items[first] {
    case .value, .wrapped: true
    case .event, .end, nil: false
    }
  }

  mutating func append(_ item: Item) { items.append(item) }

  mutating func popFirst() -> Item? {
    guard first < items.count else {
      items.removeAll(keepingCapacity: items.capacity <= 1024)
      first = 0
      return nil
    }
    let item = items[first].take()
    first += 1
    if first >= 1024, first * 2 >= items.count {
      items.removeFirst(first)
      first = 0
    }
    return item
  }
}

/// One thread's round of deliveries.
///
/// A delivery may commit to another store, which then has deliveries of its own, and so on, in a circle perhaps. They queue up here
/// instead of nesting: the stack stays flat however long the chain is. A circle that does not come to rest is reported, and
/// handed on to a task, so that the thread that began it gets on.
final class DeliveryLoop {
  private static let current = ThreadVariable<DeliveryLoop>()
  /// How often one observer may be told in consequence of itself before that is reported.
  static let patience = 1_000

  private var stores: [Runtime] = []
  private var hop = 0
  /// How many different hops each binding was told at, counted once the chain is long.
  private var visits: [ObjectIdentifier: (count: Int, hop: Int, identifier: EffectID?)] = [:]
  private var isUnsettled = false

  /// How many deliveries led to what this thread does now.
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
    if isUnsettled { handOver(Array(self.stores[next...])) }
  }

  /// - Returns: whether the store has nothing more to deliver, or another thread has taken it over.
  private func drain(_ store: Runtime) -> Bool {
    let isTaken = store.lock { core in
      defer { core.deliveries.isDelivering = true }
      return core.deliveries.isDelivering
    }
    if isTaken { return true }
    while let item = store.nextDelivery(unless: isUnsettled) {
      switch item {
      case .value(let observer, let hop):
        begin(observer, at: hop, in: store)
        observer.deliver()
      case .wrapped(let observer, let hop, let wrapper):
        begin(observer, at: hop, in: store)
        wrapper { observer.deliver() }
      case .event(let event):
        store.instrument?(event)
      case .end(let observer):
        observer.end()
      }
    }
    return !isUnsettled || store.lock { $0.deliveries.isEmpty }
  }

  private func begin(_ observer: CommitObserver, at hop: Int, in store: Runtime) {
    self.hop = hop
    if hop > 64 { count(observer, at: hop, in: store) }
  }

  private func count(_ observer: CommitObserver, at hop: Int, in store: Runtime) {
    var visit = visits[ObjectIdentifier(observer)] ?? (0, -1, observer.identifier)
    guard hop > visit.hop else { return }
    visit.hop = hop
    visit.count += 1
    visits[ObjectIdentifier(observer)] = visit
    guard visit.count >= Self.patience, !isUnsettled else { return }
    isUnsettled = true
    let identifiers = visits.values.filter { $0.count > Self.patience / 2 }.compactMap(\.identifier)
    store.reportUnsettled(identifiers.sorted { $0.description < $1.description })
  }

  private func handOver(_ stores: [Runtime]) {
    guard let first = stores.first else { return }
    Task.detached(executorPreference: first.executor, priority: .low) {
      await Task.yield()
      DeliveryLoop().run(from: stores)
    }
  }
}

extension Runtime {
  /// The next delivery of this store; `nil` ends the delivering.
  ///
  /// Observers are told on the store's actor only: elsewhere, where one has just been added for instance, the rest waits for
  /// a turn there.
  fileprivate func nextDelivery(unless isUnsettled: Bool) -> DeliveryQueue.Item? {
    let isElsewhere = !isOnIsolation()
    var needsTurn = false
    let item = lock { core -> DeliveryQueue.Item? in
      needsTurn = isElsewhere && core.deliveries.isValueNext
      guard !isUnsettled, !needsTurn, let item = core.deliveries.popFirst() else {
        core.deliveries.isDelivering = false
        return nil
      }
      switch item {
      case .value(let observer, _), .wrapped(let observer, _, _): observer.prepare()
      case .event, .end: break
      }
      return item
    }
    if needsTurn { takeTurn { DeliveryLoop.deliver(from: $0) } }
    return item
  }

  fileprivate func reportUnsettled(_ identifiers: [EffectID]) {
    let isNews = lock { core in
      defer { core.unsettled = identifiers }
      return core.unsettled != identifiers
    }
    guard isNews else { return }
    if let instrument {
      instrument(.unsettledBindings(identifiers))
    } else {
      let names = identifiers.map(\.description).joined(separator: ", ")
      Thread.warn(
        "AsyncStore: bindings in a circle have not come to rest after \(DeliveryLoop.patience) rounds: \(names). Map equal values to equal values, or break the circle."
      )
    }
  }
}
