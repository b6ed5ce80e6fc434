import AsyncStore

/// P4: operations beside each other, and the end of all of them.
struct MergedTasks: Workload {
  let name = "P4"
  let title = "run(.merge) of tasks"
  let counterpart = "a discarding task group"
  let metrics = [Metric(bar: 1.2)]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 1_000

  func ours(_ size: Int) async throws -> [Double] {
    let store = TallyStore()
    let watch = Stopwatch()
    await store.run(.merge(effects: (0..<size).map { _ in .task { .set { $0.count += 1 } } }))
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size)
    return [time]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let state = Locked(Tally())
    let watch = Stopwatch()
    await withDiscardingTaskGroup { group in
      for _ in 0..<size {
        group.addTask { state.withLock { $0.count += 1 } }
      }
    }
    let time = watch.nanoseconds(per: size)
    try require(state.withLock { $0.count }, equals: size)
    return [time]
  }
}
