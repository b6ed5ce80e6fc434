import AsyncStore

/// P5: changes of the state one after the other, in one effect that is made for it.
struct ConcatenatedSets: Workload {
  let name = "P5a"
  let title = "receive(.concatenate) of sets, made and received"
  let counterpart = "a loop with Mutex.withLock"
  let metrics = [Metric()]
  let barSize = 1_000

  func ours(_ size: Int) throws -> [Double] {
    let store = TallyStore()
    let watch = Stopwatch()
    store.receive(Self.effect(size))
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size)
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] { try StateChange().baseline(size) }

  static func effect(_ size: Int) -> TallyStore.Effect {
    .concatenate(effects: (0..<size).map { _ in .set { $0.count += 1 } })
  }
}

/// P5: the same with an effect that is kept, and received again.
struct KeptSets: Workload {
  let name = "P5b"
  let title = "receive(.concatenate) of sets, made beforehand"
  let counterpart = "a loop with Mutex.withLock"
  let metrics = [Metric()]
  let barSize = 1_000

  func ours(_ size: Int) throws -> [Double] {
    let store = TallyStore()
    let effect = ConcatenatedSets.effect(size)
    let watch = Stopwatch()
    store.receive(effect)
    let time = watch.nanoseconds(per: size)
    try require(store.state.count, equals: size)
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] { try StateChange().baseline(size) }
}
