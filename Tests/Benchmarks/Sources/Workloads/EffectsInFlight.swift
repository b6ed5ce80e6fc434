import AsyncStore

/// L1: a look at all effects that wait, each under an identifier.
struct ListedEffects: Workload {
  let name = "L1"
  let title = "inFlight.count, and inFlightCount, for each effect in flight"
  let counterpart = "a copy of a dictionary of tasks, and its count, for each"
  let metrics = [Metric(name: "list"), Metric(name: "count")]
  let sizes = EffectsInFlight.sizes
  let barSize = 100_000

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) throws -> [Double] {
    let store = EffectsInFlight.store(size)
    let listing = Stopwatch()
    let listed = store.inFlight.count
    let listTime = listing.nanoseconds(per: size)
    let counting = Stopwatch()
    let counted = store.inFlightCount
    let countTime = counting.nanoseconds(per: size)
    try require(listed, equals: counted)
    try require(counted >= size, "only \(counted) are in flight")
    return [listTime, countTime]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let tasks = EffectsInFlight.tasks(size)
    let listing = Stopwatch()
    let listed = tasks.withLock { $0.map { $0.key } }.count
    let listTime = listing.nanoseconds(per: size)
    let counting = Stopwatch()
    let counted = tasks.withLock { $0.count }
    let countTime = counting.nanoseconds(per: size)
    for task in tasks.withLock({ $0.values.map { $0 } }) { task.cancel() }
    try require(listed, equals: size)
    try require(counted, equals: size)
    return [listTime, countTime]
  }
}

/// L2: all effects under a path, cancelled at once.
struct CancelledPrefix: Workload {
  let name = "L2"
  let title = "receive(.cancel(prefix:)), for each effect under it"
  let counterpart = "a loop over a dictionary of tasks"
  let metrics = [Metric()]
  let sizes = EffectsInFlight.sizes
  let barSize = 100_000

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) throws -> [Double] {
    let store = EffectsInFlight.store(size)
    let watch = Stopwatch()
    store.receive(.cancel(prefix: "feed"))
    let time = watch.nanoseconds(per: size)
    try require(store.inFlightCount, equals: 0)
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let tasks = EffectsInFlight.tasks(size)
    let watch = Stopwatch()
    let cancelled = tasks.withLock { all in
      let under = all.filter { $0.key.section == "feed" }
      for path in under.keys { all[path] = nil }
      return under.values.map { $0 }
    }
    for task in cancelled { task.cancel() }
    let time = watch.nanoseconds(per: size)
    try require(tasks.withLock { $0.count }, equals: 0)
    return [time]
  }
}

/// Effects, and tasks, that sleep under paths.
private enum EffectsInFlight {
  static let sizes = [100, 1_000, 10_000, 100_000]

  static func store(_ count: Int) -> TallyStore {
    let store = TallyStore()
    for number in 0..<count {
      store.receive(.sleep(.seconds(3_600)).id(EffectID("feed").appending(number)))
    }
    return store
  }

  struct Path: Hashable, Sendable {
    let section: String
    let number: Int
  }

  static func tasks(_ count: Int) -> Locked<[Path: Task<Void, any Error>]> {
    Locked(
      Dictionary(
        uniqueKeysWithValues: (0..<count).map { number in
          (Path(section: "feed", number: number), Task { try await Task.sleep(for: .seconds(3_600)) })
        }))
  }
}
