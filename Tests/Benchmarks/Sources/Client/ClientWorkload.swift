import Workloads

/// A client's work with a store, beside the same work with a mutex, an actor or tasks.
struct ClientWorkload: Workload {
  let name: String
  let title: String
  let counterpart: String
  let metrics: [Metric]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize: Int
  private let uses: @Sendable (_ model: FeedModel, _ size: Int) async throws -> Void
  private let usesByHand: @Sendable (_ feed: HandWrittenFeed, _ size: Int) async throws -> Int

  /// - Parameters:
  ///   - uses: changes the state's count to the size.
  ///   - usesByHand: returns the size, from where it keeps its count.
  private init(
    _ name: String, _ title: String, _ counterpart: String, bar: Double? = nil, barSize: Int = 10_000,
    uses: @escaping @Sendable (_ model: FeedModel, _ size: Int) async throws -> Void,
    usesByHand: @escaping @Sendable (_ feed: HandWrittenFeed, _ size: Int) async throws -> Int
  ) {
    self.name = name
    self.title = title
    self.counterpart = counterpart
    self.barSize = barSize
    metrics = [Metric(bar: bar)]
    self.uses = uses
    self.usesByHand = usesByHand
  }

  func ours(_ size: Int) async throws -> [Double] {
    let model = FeedModel()
    let watch = Stopwatch()
    try await uses(model, size)
    let time = watch.nanoseconds(per: size)
    try require(model.store.withState { $0.count }, equals: size)
    return [time]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let feed = HandWrittenFeed()
    let watch = Stopwatch()
    let count = try await usesByHand(feed, size)
    let time = watch.nanoseconds(per: size)
    try require(count, equals: size)
    return [time]
  }

  // MARK: The rows

  static let set = ClientWorkload("C1", "a client's receive(.set { ... })", "Mutex.withLock with the same closure") {
    for _ in 0..<$1 { $0.increment() }
  } usesByHand: {
    for _ in 0..<$1 { $0.increment() }
    return $0.count
  }

  static let assignment = ClientWorkload(
    "C1b", "a client's receive(.set(\\.count, to: ...))", "Mutex.withLock and an assignment"
  ) {
    for number in 0..<$1 { $0.changeCount(to: number + 1) }
  } usesByHand: {
    for number in 0..<$1 { $0.changeCount(to: number + 1) }
    return $0.count
  }

  static let sets = ClientWorkload(
    "C2", "a client's list of sets, made and received", "a loop with Mutex.withLock", barSize: 1_000
  ) {
    $0.select(0..<$1)
  } usesByHand: {
    $0.select(0..<$1)
    return $0.count
  }

  static let awaitedSet = ClientWorkload("C3", "a client's await run(.set { ... })", "an awaited call of an actor") {
    for _ in 0..<$1 { await $0.incrementAwaiting() }
  } usesByHand: {
    let feed = FeedActor()
    for _ in 0..<$1 { await feed.increment() }
    return await feed.feed.count
  }

  static let settledRun = ClientWorkload(
    "C3/receive", "a client's loop of await run(.set { ... })", "the same loop with receive"
  ) {
    await $0.incrementAwaiting(times: $1)
  } usesByHand: { _, size in
    let model = FeedModel()
    model.increment(times: size)
    return model.store.count
  }

  static let task = ClientWorkload(
    "C4", "a client's task, until it has committed", "Task and Mutex.withLock", bar: 1.4
  ) {
    for number in 0..<$1 { await $0.store.run(FeedModel.load(number)) }
  } usesByHand: { feed, size in
    for number in 0..<size { try await Task { try await feed.load(number) }.value }
    return feed.count
  }

  static let merge = ClientWorkload(
    "C5", "a client's run(.merge) of tasks", "a throwing task group", bar: 1.4, barSize: 1_000
  ) {
    await $0.store.run(.merge(effects: (0..<$1).map(FeedModel.load)))
  } usesByHand: { feed, size in
    try await withThrowingDiscardingTaskGroup { group in
      for number in 0..<size { group.addTask { try await feed.load(number) } }
    }
    return feed.count
  }

  static let replacedTask = ClientWorkload(
    "C6", "a client's sleeping task in place of the last", "cancel and restart a sleeping task", bar: 1.5
  ) {
    for number in 0..<$1 { $0.search(number) }
    $0.store.receive(.cancel("search"))
    $0.store.receive(.set(\.count, to: $1))
  } usesByHand: {
    for number in 0..<$1 { $0.search(number) }
    $0.cancel()
    return $1
  }
}

extension HandWrittenFeed {
  fileprivate var count: Int { state.withLock { $0.count } }
}

/// The rows of clients, measured from a module that is neither the store's nor the other rows'.
package let clientWorkloads: [any Workload] = [
  ClientWorkload.set, ClientWorkload.assignment, ClientWorkload.sets, ClientWorkload.awaitedSet,
  ClientWorkload.settledRun, ClientWorkload.task, ClientWorkload.merge, ClientWorkload.replacedTask,
]

extension CountedRow {
  /// Those of clients that are counted.
  package static let ofClients = [
    CountedRow(ClientWorkload.set, 50..<150, bar: 60), CountedRow(ClientWorkload.assignment, 50..<150, bar: 70),
    CountedRow(ClientWorkload.sets, 100..<300), CountedRow(ClientWorkload.awaitedSet, 50..<150),
    CountedRow(ClientWorkload.settledRun, 50..<150, bar: 70), CountedRow(ClientWorkload.task, 4..<12),
    CountedRow(ClientWorkload.merge, 4..<12),
  ]
}
