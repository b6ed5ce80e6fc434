import AsyncStore

/// P8: timers at 10 Hz, each of which records how late it is.
struct Timers: Workload {
  let name = "P8"
  let title = "timers at 10 Hz"
  let counterpart = "one task each, sleeping in a loop"
  let metrics = [
    Metric(name: "CPU a tick", bar: 0.5), Metric(name: "lateness p50", unit: "us", bar: 1),
    Metric(name: "lateness p99", unit: "us", bar: 1),
  ]
  let sizes = [100, 1_000, 10_000]
  let barSize = 10_000
  let quickSize = 100

  func repetitions(at size: Int) -> Int { 1 }

  private static let interval = Duration.milliseconds(100)

  private func ticks(at size: Int) -> Int {
    switch size {
    case barSize...: 100
    case quickSize + 1..<barSize: 20
    default: 10
    }
  }

  private typealias Store = AsyncStore<Punctuality, Void>

  func ours(_ size: Int) async throws -> [Double] {
    let gate = Gate()
    let store = Store(state: Punctuality(size * ticks(at: size), gate), env: ())
    let cpuTime = Process.cpuTime
    for number in 0..<size {
      let start = ContinuousClock.now
      store.receive(
        .timer(Self.interval, id: number) { tick in
          // Missed ticks that were delivered as one were late, too.
          .set { $0.note(start, ticks: tick.index - tick.missed...tick.index, interval: Self.interval) }
        })
    }
    await gate.opened()
    let used = Process.cpuTime - cpuTime
    store.deactivate()
    return try store.state.costs(cpuTime: used)
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let gate = Gate()
    let state = Locked(Punctuality(size * ticks(at: size), gate))
    let cpuTime = Process.cpuTime
    let tasks = (0..<size).map { _ in
      let start = ContinuousClock.now
      return Task {
        var index = 1
        while true {
          try await Task.sleep(until: start.advanced(by: Self.interval * index), tolerance: nil)
          state.withLock { $0.note(start, ticks: index...index, interval: Self.interval) }
          index += 1
        }
      }
    }
    await gate.opened()
    let used = Process.cpuTime - cpuTime
    for task in tasks { task.cancel() }
    return try state.withLock { $0 }.costs(cpuTime: used)
  }
}

/// The lateness of ticks, in microseconds.
private struct Punctuality: Sendable {
  private var lateness: [Int32] = []
  private let goal: Int
  private let gate: Gate

  init(_ goal: Int, _ gate: Gate) {
    self.goal = goal
    self.gate = gate
    lateness.reserveCapacity(goal)
  }

  mutating func note(_ start: ContinuousClock.Instant, ticks: ClosedRange<Int>, interval: Duration) {
    let elapsed = start.duration(to: .now)
    for tick in ticks where lateness.count < goal {
      lateness.append(Int32(clamping: Int((elapsed - interval * tick) / .microseconds(1))))
      if lateness.count == goal { gate.open() }
    }
  }

  func costs(cpuTime: Duration) throws -> [Double] {
    try require(lateness.count, equals: goal)
    let sorted = lateness.sorted()
    try require(sorted[0] >= 0, "a tick was early")
    return [cpuTime.nanoseconds / Double(goal), Double(sorted[goal / 2]), Double(sorted[goal * 99 / 100])]
  }
}
