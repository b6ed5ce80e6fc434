import AsyncStore

/// P3: each operation replaces the one before it under the same identifier, until all have returned.
struct CancelInFlight: Workload {
  let name = "P3"
  let title = "receive(.task(..., id)), each in place of the last"
  let counterpart = "a dictionary of tasks under a mutex"
  let metrics = [Metric(bar: 1.5)]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 100_000

  func ours(_ size: Int) async throws -> [Double] {
    let store = TallyStore()
    let watch = Stopwatch()
    for number in 1...size { store.receive(.task({ .set { $0.last = number } }, "search")) }
    await store.run(.join("search"))
    let time = watch.nanoseconds(per: size)
    try require(store.state.last, equals: size)
    return [time]
  }

  /// The baseline must not commit a late result either.
  private struct Searches: Sendable {
    var tasks: [String: (number: Int, task: Task<Void, Never>)] = [:]
    var running = 0
    var last = 0

    mutating func end(_ number: Int) {
      running -= 1
      guard let current = tasks["search"], current.number == number else { return }
      tasks["search"] = nil
      last = number
    }
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let gate = Gate()
    let searches = Locked(Searches())
    let watch = Stopwatch()
    for number in 1...size {
      let old = searches.withLock { all in
        let task = Task {
          let isLast = searches.withLock { searches in
            searches.end(number)
            return searches.running == 0 && searches.last == size
          }
          if isLast { gate.open() }
        }
        all.running += 1
        return all.tasks.updateValue((number, task), forKey: "search")
      }
      old?.task.cancel()
    }
    await gate.opened()
    let time = watch.nanoseconds(per: size)
    try require(searches.withLock { $0.last }, equals: size)
    return [time]
  }
}
