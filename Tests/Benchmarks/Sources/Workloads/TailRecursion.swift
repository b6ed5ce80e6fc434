import AsyncStore

/// P12: operations, each of which returns the next.
///
/// A loop that makes nothing would be no counterpart: each level makes an effect here, and a closure there.
struct TailRecursion: Workload {
  let name = "P12b"
  let title = "a task that returns a task that returns ..."
  let counterpart = "a loop that awaits a closure that returns the next one"
  let metrics = [Metric()]
  let sizes = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]
  let barSize = 1_000_000

  func ours(_ size: Int) async throws -> [Double] {
    let store = TallyStore()
    let memory = Locked(FlatMemory(size))
    let watch = Stopwatch()
    // Not by `run`, for the same reason as in `ConcatenatedTasks`.
    let outcome = await store.receive(Self.descend(size, memory)).outcome
    let time = watch.nanoseconds(per: size)
    try require(outcome.isFinished, "the recursion ended with \(outcome)")
    try require(store.state.last, equals: 1)
    try memory.withLock { $0 }.check()
    return [time]
  }

  private static func descend(_ level: Int, _ memory: Locked<FlatMemory>) -> TallyStore.Effect {
    .task {
      if level % 1_000 == 0 { memory.withLock { $0.note(level) } }
      return level == 1 ? .set { $0.last = level } : descend(level - 1, memory)
    }
  }

  private struct Step: Sendable {
    let operation: @Sendable () async throws -> Step?
  }

  private static func step(_ level: Int, _ state: Locked<Tally>) -> Step {
    Step {
      if level > 1 { return step(level - 1, state) }
      state.withLock { $0.last = level }
      return nil
    }
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let state = Locked(Tally())
    let watch = Stopwatch()
    try await Task {
      var step: Step? = Self.step(size, state)
      while let current = step { step = try await current.operation() }
    }.value
    let time = watch.nanoseconds(per: size)
    try require(state.withLock { $0.last }, equals: 1)
    return [time]
  }
}

/// The allocated memory a tenth down the recursion and a tenth above its end.
private struct FlatMemory: Sendable {
  private let size: Int
  private var early: Int?
  private var late: Int?

  init(_ size: Int) { self.size = size }

  mutating func note(_ level: Int) {
    if level <= size * 9 / 10, early == nil { early = Process.allocatedBytes }
    if level <= size / 10, late == nil { late = Process.allocatedBytes }
  }

  func check() throws {
    guard let early, let late else { return }
    try require(late - early < 65_536, "memory grew by \(late - early) bytes")
  }
}
