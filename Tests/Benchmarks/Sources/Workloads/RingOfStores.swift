import AsyncStore

/// R1: stores that are bound in a ring, until a change has gone around.
struct RingOfStores: Workload {
  let name = "R1"
  let title = "a change around a ring of bound stores, for each"
  let counterpart = "a ring of states behind mutexes, each with an equality check"
  let metrics = [Metric()]
  let sizes = [10, 100, 1_000, 10_000]
  let barSize = 1_000

  static let changes = 10

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) throws -> [Double] {
    let stores = (0..<size).map { _ in TallyStore() }
    for index in stores.indices {
      let upstream = stores[(index + size - 1) % size]
      stores[index].bind(id: "ring", to: upstream, on: \.count) { count in .set(\.count, to: count) }
    }
    let watch = Stopwatch()
    for number in 1...Self.changes { stores[0].receive(.set { $0.count = number }) }
    let time = watch.nanoseconds(per: size * Self.changes)
    for store in stores { try require(store.state.count, equals: Self.changes) }
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let states = (0..<size).map { _ in Locked(Tally()) }
    let watch = Stopwatch()
    for number in 1...Self.changes {
      var index = 0
      while states[index].withLock({ tally in
        defer { tally.count = number }
        return tally.count != number
      }) {
        index = (index + 1) % size
      }
    }
    let time = watch.nanoseconds(per: size * Self.changes)
    for state in states { try require(state.withLock { $0.count }, equals: Self.changes) }
    return [time]
  }
}
