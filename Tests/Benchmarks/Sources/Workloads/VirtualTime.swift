import AsyncStore
import AsyncStoreTesting

/// P13a: one-second ticks of a timer, in virtual time.
///
/// A day has 86,400.
struct VirtualTicks: Workload {
  let name = "P13a"
  let title = "ticks of a timer in virtual time"
  let counterpart = "a task that sleeps on the same clock"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000, 86_400]
  let barSize = 86_400

  func ours(_ size: Int) async throws -> [Double] {
    let watch = Stopwatch()
    let ticks = try await simulate { simulation in
      let store = simulation.store([Int](), env: ())
      store.receive(.timer(.seconds(1), id: "timer") { tick in .set { $0.append(tick.index) } })
      await simulation.clock.advance(by: .seconds(size))
      store.deactivate()
      return store.state
    }
    let time = watch.nanoseconds(per: size)
    try require(ticks.count, equals: size)
    try require(zip(ticks, ticks.dropFirst()).allSatisfy { $0 + 1 == $1 }, "the ticks came out of order")
    return [time]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let watch = Stopwatch()
    let ticks = try await simulate { simulation in
      var ticks: [Int] = []
      for tick in 0..<size {
        try await simulation.clock.sleep(for: .seconds(1))
        ticks.append(tick)
      }
      return ticks
    }
    let time = watch.nanoseconds(per: size)
    try require(ticks.count, equals: size)
    return [time]
  }
}

/// P13b: schedules of a program of ten jobs.
struct Schedules: Workload {
  let name = "P13b"
  let title = "schedules of ten jobs explored"
  let counterpart = "the same jobs on the global executor"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 10_000

  func ours(_ size: Int) async throws -> [Double] {
    let jobs = Locked(0)
    let watch = Stopwatch()
    try await explore(.seeds(size)) { simulation in
      let count = try await Self.program()
      if count != 2 { throw WrongResult(description: "came to \(count)") }
      if simulation.seed == 0 { jobs.withLock { $0 = simulation.jobCount } }
    }
    let time = watch.nanoseconds(per: size)
    let count = jobs.withLock { $0 }
    try require(8...12 ~= count, "\(count) jobs are not about ten")
    return [time]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let watch = Stopwatch()
    for _ in 0..<size { try require(try await Self.program(), equals: 2) }
    return [watch.nanoseconds(per: size)]
  }

  private static func program() async throws -> Int {
    let count = Locked(0)
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          await Task.yield()
          count.withLock { $0 += 1 }
        }
      }
    }
    return count.withLock { $0 }
  }
}

/// P13c: schedules of a store with ten effects, each an operation that commits.
struct StoreSchedules: Workload {
  let name = "P13c"
  let title = "schedules of ten effects of a store explored"
  let counterpart = "the same effects on the global executor"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000]
  let barSize = 10_000

  func ours(_ size: Int) async throws -> [Double] {
    let watch = Stopwatch()
    try await Self.exploreAll(size)
    return [watch.nanoseconds(per: size)]
  }

  static func exploreAll(_ count: Int) async throws {
    try await explore(.seeds(count)) { simulation in
      let store = simulation.store(0, env: ())
      await store.run(Self.effect)
      if store.state != 10 { throw WrongResult(description: "came to \(store.state)") }
    }
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let watch = Stopwatch()
    for _ in 0..<size {
      let store = AsyncStore(state: 0, env: ())
      await store.run(Self.effect)
      try require(store.state, equals: 10)
    }
    return [watch.nanoseconds(per: size)]
  }

  private static var effect: AsyncStore<Int, Void>.Effect {
    .merge(effects: (0..<10).map { _ in .task { .set { $0 += 1 } } })
  }
}

/// P13d: the same in two explorations at once, which take turns.
struct SchedulesInTurns: Workload {
  let name = "P13d"
  let title = "the same, two explorations at once"
  let counterpart = "one exploration of as many"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000]
  let barSize = 10_000

  func ours(_ size: Int) async throws -> [Double] {
    let watch = Stopwatch()
    async let first: Void = StoreSchedules.exploreAll(size / 2)
    async let second: Void = StoreSchedules.exploreAll(size / 2)
    _ = try await (first, second)
    return [watch.nanoseconds(per: size)]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let watch = Stopwatch()
    try await StoreSchedules.exploreAll(size)
    return [watch.nanoseconds(per: size)]
  }
}
