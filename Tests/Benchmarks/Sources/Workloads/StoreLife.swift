import AsyncStore

/// P11: stores that are made, used once and dropped.
struct StoreLife: Workload {
  let name = "P11"
  let title = "stores made, used once, dropped"
  let counterpart = "an actor with the same state"
  let metrics = [Metric(name: "time"), Metric(name: "memory", unit: "B")]
  let barSize = 100_000

  private actor Counter {
    private var tally = Tally()

    func count() -> Int {
      tally.count += 1
      return tally.count
    }
  }

  func ours(_ size: Int) throws -> [Double] {
    let bytes = Process.allocatedBytes
    var sum = 0
    let watch = Stopwatch()
    for _ in 0..<size {
      let store = TallyStore()
      store.receive(.set { $0.count += 1 })
      sum += store.withState { $0.count }
    }
    let time = watch.nanoseconds(per: size)
    try require(sum, equals: size)
    try requireNothingLeft(since: bytes)
    let stores = (0..<size).map { _ in
      let store = TallyStore()
      store.receive(.set { $0.count += 1 })
      return store
    }
    return [time, Double(Process.allocatedBytes - bytes) / Double(stores.count)]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let bytes = Process.allocatedBytes
    var sum = 0
    let watch = Stopwatch()
    for _ in 0..<size { sum += await Counter().count() }
    let time = watch.nanoseconds(per: size)
    try require(sum, equals: size)
    try requireNothingLeft(since: bytes)
    var actors: [Counter] = []
    actors.reserveCapacity(size)
    for _ in 0..<size {
      let actor = Counter()
      _ = await actor.count()
      actors.append(actor)
    }
    return [time, Double(Process.allocatedBytes - bytes) / Double(actors.count)]
  }

  /// The allocator's own caches may have grown a little.
  private func requireNothingLeft(since bytes: Int) throws {
    let left = Process.allocatedBytes - bytes
    try require(left < 65_536, "\(left) bytes are left")
  }
}
