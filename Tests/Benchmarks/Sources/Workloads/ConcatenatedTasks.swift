import AsyncStore

/// P5: operations one after the other, and the end of the last.
struct ConcatenatedTasks: Workload {
  /// True if the first one has a retry, which the others do not.
  var isFirstRetried = false

  var name: String { isFirstRetried ? "P5c/retried" : "P5c" }
  var title: String { "receive(.concatenate) of tasks, awaited" + (isFirstRetried ? "; the first has a retry" : "") }
  let counterpart = "a loop that awaits the closures, in one task"
  let metrics = [Metric(bar: 2)]
  let barSize = 1_000

  func ours(_ size: Int) async throws -> [Double] {
    let store = TallyStore()
    let watch = Stopwatch()
    // Not by `run`, whose first 64 operations are on its caller's thread, where Swift takes 360 instructions more to
    // call one: it looks for the task's executor each time.
    var effects: [TallyStore.Effect] = (0..<size).map { _ in .task { .set { $0.count += 1 } } }
    if isFirstRetried { effects[0] = effects[0].retry(.constant(.zero).limitedTo(attempts: 2)) }
    _ = await store.receive(.concatenate(effects: effects)).outcome
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size)
    return [time]
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let state = Locked(Tally())
    let watch = Stopwatch()
    let operations: [@Sendable () async throws -> Void] = (0..<size).map { _ in
      { state.withLock { $0.count += 1 } }
    }
    try await Task { for operation in operations { try await operation() } }.value
    let time = watch.nanoseconds(per: size)
    try require(state.withLock { $0.count }, equals: size)
    return [time]
  }
}
