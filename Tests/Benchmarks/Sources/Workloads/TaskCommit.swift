import AsyncStore

/// P2: operations that answer with a change of the state, until all have been committed.
struct TaskCommit: Workload {
  let name = "P2"
  let title = "receive(.task { .set { ... } }), until all are committed"
  let counterpart = "Task and Mutex.withLock"
  let metrics = [Metric(bar: 1.4)]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 100_000

  func ours(_ size: Int) async throws -> [Double] {
    let gate = Gate()
    let store = TallyStore(goal: size, gate: gate)
    let watch = Stopwatch()
    for _ in 0..<size { store.receive(.task { .set { $0.add() } }) }
    await gate.opened()
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size)
    return [time]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let gate = Gate()
    let state = Locked(Tally(goal: size, gate: gate))
    let watch = Stopwatch()
    for _ in 0..<size { Task { state.withLock { $0.add() } } }
    await gate.opened()
    let time = watch.nanoseconds(per: size)
    try require(state.withLock { $0.count }, equals: size)
    return [time]
  }
}
