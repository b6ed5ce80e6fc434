import AsyncStore

/// P1: one change of the state, again and again, from one thread.
struct StateChange: Workload {
  let name = "P1a"
  let title = "receive(.set { ... })"
  let counterpart = "Mutex.withLock with the same closure"
  let metrics = [Metric()]
  let barSize = 1_000_000

  func ours(_ size: Int) throws -> [Double] {
    let store = TallyStore()
    let watch = Stopwatch()
    for _ in 0..<size { store.receive(.set { $0.count += 1 }) }
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size)
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let state = Locked(Tally())
    let watch = Stopwatch()
    for _ in 0..<size { state.withLock { $0.count += 1 } }
    let time = watch.nanoseconds(per: size)
    try require(state.withLock { $0.count }, equals: size)
    return [time]
  }
}
