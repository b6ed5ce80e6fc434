import AsyncStore

/// P1: the same with a key path and a value, which the effect keeps.
struct PropertyChange: Workload {
  let name = "P1b"
  let title = "receive(.set(\\.count, to: n))"
  let counterpart = "Mutex.withLock and an assignment"
  let metrics = [Metric()]
  let barSize = 1_000_000

  func ours(_ size: Int) throws -> [Double] {
    let store = TallyStore()
    let watch = Stopwatch()
    for number in 1...size { store.receive(.set(\.count, to: number)) }
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size)
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let state = Locked(Tally())
    let watch = Stopwatch()
    for number in 1...size { state.withLock { $0.count = number } }
    let time = watch.nanoseconds(per: size)
    try require(state.withLock { $0.count }, equals: size)
    return [time]
  }
}
