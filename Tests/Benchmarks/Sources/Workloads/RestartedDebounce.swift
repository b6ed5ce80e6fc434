import AsyncStore

/// P7: a debounce that is restarted before it ends, until the cancelled ones are gone.
struct RestartedDebounce: Workload {
  let name = "P7a"
  let title = "restart .debounce under one identifier"
  let counterpart = "cancel and restart a sleeping task"
  let metrics = [Metric(bar: 0.5)]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 100_000

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) async throws -> [Double] {
    try await RestartedSleep.ours(size) { number, gate in
      .debounce({ .set { $0.end(number, gate) } }, for: RestartedSleep.duration, id: "search")
    }
  }

  func baseline(_ size: Int) async throws -> [Double] { try await RestartedSleep.baseline(size) }
}

/// P7: the same with a timeout of an effect that lasts longer.
struct RestartedTimeout: Workload {
  let name = "P7b"
  let title = "restart .timeout under one identifier"
  let counterpart = "cancel and restart a sleeping task"
  let metrics = [Metric(bar: 0.5)]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 100_000

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) async throws -> [Double] {
    try await RestartedSleep.ours(size, RestartedSleep.timeout)
  }

  func baseline(_ size: Int) async throws -> [Double] { try await RestartedSleep.baseline(size) }
}

/// P7: the cost of a restarted timeout before a store has received it.
///
/// The effects are made and released.
struct MadeTimeout: Workload {
  let name = "P7c"
  let title = "no store: .timeout under an identifier, made and let go of"
  let counterpart = "cancel and restart a sleeping task"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 100_000

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) async throws -> [Double] {
    var kinds = 0
    let watch = Stopwatch()
    for number in 1...size { kinds += RestartedSleep.timeout(number, nil).isNone ? 0 : 1 }
    let time = watch.nanoseconds(per: size)
    try require(kinds, equals: size)
    return [time]
  }

  func baseline(_ size: Int) async throws -> [Double] { try await RestartedSleep.baseline(size) }
}

/// The common parts of restarted debounces and timeouts.
private enum RestartedSleep {
  static let duration = Duration.milliseconds(300)

  static func timeout(_ number: Int, _ gate: Gate?) -> TallyStore.Effect {
    .sleep(.seconds(100)).timeout(duration, else: .set { $0.end(number, gate) }).id("search")
  }

  static func ours(
    _ size: Int, _ effect: (_ number: Int, _ gate: Gate?) -> TallyStore.Effect
  ) async throws -> [Double] {
    let gate = Gate()
    let store = TallyStore()
    let watch = Stopwatch()
    for number in 1...size { store.receive(effect(number, number == size ? gate : nil)) }
    // Nothing of the cancelled effects is left: a sleeping effect has no task that would have to return.
    let time = watch.nanoseconds(per: size)
    try require(store.inFlight.count < 10, "cancelled effects are still in flight")
    await gate.opened()
    try require(store.state.last, equals: size)
    return [time]
  }

  private struct Search: Sendable {
    var task: Task<Void, Never>?
    var running = 0
    var drained: Gate?
    var tally = Tally()

    /// Notes a cancelled task.
    ///
    /// When only one task is left, the last one still sleeps.
    mutating func cancelled() {
      running -= 1
      if running == 1 { drained?.open() }
    }
  }

  static func baseline(_ size: Int) async throws -> [Double] {
    let gate = Gate()
    let drained = Gate()
    let search = Locked(Search())
    let watch = Stopwatch()
    for number in 1...size {
      let old = search.withLock { current in
        let old = current.task
        current.running += 1
        current.task = Task {
          do { try await Task.sleep(for: duration) } catch { return search.withLock { $0.cancelled() } }
          search.withLock { $0.tally.end(number, number == size ? gate : nil) }
        }
        return old
      }
      old?.cancel()
    }
    let isDrained = search.withLock { search in
      search.drained = drained
      return search.running == 1
    }
    if !isDrained { await drained.opened() }
    let time = watch.nanoseconds(per: size)
    await gate.opened()
    try require(search.withLock { $0.tally.last }, equals: size)
    return [time]
  }
}

extension Tally {
  fileprivate mutating func end(_ number: Int, _ gate: Gate?) {
    last = number
    gate?.open()
  }
}
