import AsyncStore
import Synchronization

/// P6: effects that sleep and then change the state.
///
/// All of them have begun before the moment at which they are due.
struct Sleepers: Workload {
  let name = "P6"
  let title = "receive(.concatenate(.sleep, .set))"
  let counterpart = "Task.sleep in tasks"
  let metrics = [
    Metric(name: "memory", unit: "B", bar: 0.2), Metric(name: "begin+fire", bar: 0.5), Metric(name: "begin"),
    Metric(name: "fire"), Metric(name: "CPU"),
  ]
  let sizes = [1_000, 10_000, 100_000, 1_000_000]
  let barSize = 1_000_000
  let quickSize = 1_000

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) async throws -> [Double] { try await patiently { try await ours(size, $0) } }

  func baseline(_ size: Int) async throws -> [Double] { try await patiently { try await baseline(size, $0) } }

  private func ours(_ size: Int, _ patience: Int) async throws -> [Double]? {
    let gate = Gate()
    let store = TallyStore(goal: size, gate: gate)
    var run = Run(size, patience)
    for _ in 0..<size { store.receive(.concatenate(.sleep(run.untilDeadline), .set { $0.add() })) }
    run.allHaveBegun()
    await gate.opened()
    let costs = run.costs()
    try require(store.state.count, equals: size)
    return costs
  }

  private final class Begun: Sendable { let count = Atomic(0) }

  private func baseline(_ size: Int, _ patience: Int) async throws -> [Double]? {
    let gate = Gate()
    let state = Locked(Tally(goal: size, gate: gate))
    let begun = Begun()
    var run = Run(size, patience)
    for _ in 0..<size {
      Task { [run] in
        begun.count.add(1, ordering: .relaxed)
        try await Task.sleep(for: run.untilDeadline)
        state.withLock { $0.add() }
      }
    }
    while begun.count.load(ordering: .relaxed) < size { try await Task.sleep(for: .milliseconds(1)) }
    run.allHaveBegun()
    await gate.opened()
    let costs = run.costs()
    try require(state.withLock { $0.count }, equals: size)
    return costs
  }

  /// Repeats a side with a later deadline if it had not begun everything by the first one.
  private func patiently(_ side: (_ patience: Int) async throws -> [Double]?) async throws -> [Double] {
    var patience = 1
    while true {
      try await Process.waitUntilFreed()
      if let costs = try await side(patience) { return costs }
      patience *= 2
    }
  }

  private struct Run: Sendable {
    private let size: Int
    private let bytes = Process.allocatedBytes
    private let cpuTime = Process.cpuTime
    /// Counts instructions: the times leave out the wait for the deadline, which takes none.
    private let watch = Stopwatch()
    private let start = ContinuousClock.now
    private let deadline: ContinuousClock.Instant
    private var begun: ContinuousClock.Instant
    private var bytesInFlight = 0

    init(_ size: Int, _ patience: Int) {
      self.size = size
      // This is longer than either side needs to begin on a quiet machine. Waiting costs nothing and is not counted.
      deadline = start.advanced(by: (.milliseconds(200) + .microseconds(7) * size) * patience)
      begun = start
    }

    var untilDeadline: Duration { ContinuousClock.now.duration(to: deadline) }

    mutating func allHaveBegun() {
      begun = .now
      bytesInFlight = Process.allocatedBytes - bytes
    }

    /// - Returns: the costs, or `nil` if at no moment all of them were in flight.
    func costs() -> [Double]? {
      guard begun < deadline else { return nil }
      let begin = start.duration(to: begun)
      let fire = deadline.duration(to: .now)
      _ = watch.nanoseconds(per: size)
      return [
        Double(bytesInFlight), (begin + fire).nanoseconds, begin.nanoseconds, fire.nanoseconds,
        (Process.cpuTime - cpuTime).nanoseconds,
      ].map { $0 / Double(size) }
    }
  }
}
