import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("The end of a simulation")
struct SimulationEndTests {
  @Test("A simulation ends soon when its task is cancelled, with a CancellationError")
  func cancelled() async throws {
    let jobs = Note(0)
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      while true {
        jobs.change { $0 += 1 }
        if jobs.value == 10 { cancelledSimulation.value?.cancel() }
        await switchPoint()
      }
    }
    let (gate, opening) = AsyncStream.makeStream(of: Never.self)
    let task = Task {
      for await _ in gate {}
      try await simulate(limits: SimulationLimits(jobs: 100_000), body)
    }
    cancelledSimulation.value = task
    opening.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The rest ends within the number of jobs that an abandoned simulation may run.
    #expect(jobs.value < 20_000)
  }

  @Test("The end of a simulation cancels what its body waits for, and lets go of the stores of a deadlock")
  func deadlockedStores() async throws {
    weak let store = try await deadlocked { simulation, store in
      await Task {
        for await _ in AsyncStream<Never>(unfolding: { await untilCancelled() }) {}
        _ = store.state
      }.value
    }
    #expect(store == nil)
  }

  @Test("The end of a simulation ends all tasks, however many there are")
  func manyTasks() async throws {
    let (count, ended) = (3_000, Note(0))
    try await simulate(atEnd: .cancels) { simulation in
      for _ in 0..<count {
        Task {
          defer { ended.change { $0 += 1 } }
          try await simulation.clock.sleep(for: .seconds(5))
        }
      }
      await simulation.settle()
    }
    #expect(ended.value == count)
  }

  @Test("The end of a simulation ends all children of a task, however many there are")
  func manyChildren() async throws {
    let (count, ended) = (10_000, Note(0))
    try await simulate(atEnd: .cancels) { simulation in
      Task {
        await withTaskGroup { group in
          for _ in 0..<count {
            group.addTask {
              _ = await untilCancelled()
              ended.change { $0 += 1 }
            }
          }
        }
      }
      await simulation.settle()
    }
    #expect(ended.value == count)
  }

  @Test("The end of a simulation waits for the long cleanups of all tasks, and cuts off one that has no end")
  func longCleanups() async throws {
    let (count, ended) = (1_000, Note(0))
    try await simulate(atEnd: .cancels) { simulation in
      for number in 0..<count {
        Task {
          _ = await untilCancelled()
          // The test also ends if the limit does not hold.
          for _ in 0..<(number == 0 ? 1_000_000 : 10) {
            try? await simulation.clock.sleep(for: .seconds(1))
            await switchPoint()
          }
          ended.change { $0 += 1 }
        }
      }
      await simulation.settle()
    }
    #expect(ended.value == count - 1)
  }

  @Test("A simulation ends even if what it cancels sleeps again and again")
  func stubbornSleeper() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(limits: SimulationLimits(jobs: 100)) { simulation in
          while true { try? await simulation.clock.sleep(for: .seconds(1)) }
        }
      })
    #expect(failure.code == .runaway)
  }

  /// A call that ends at once, so that a task can repeat it without ever waiting.
  enum Spin: CaseIterable {
    case sleep, hang, read, readAfterCrash

    func turn(_ simulation: Simulation, _ host: SimulatedNetwork<Int>.Host) async {
      switch self {
      case .sleep: try? await simulation.clock.sleep(for: .seconds(1))
      case .hang: try? await simulation.clock.hang()
      case .read, .readAfterCrash: _ = await host.messages.first { _ in true }
      }
    }

    /// Starts a task that repeats the call, and makes each call end at once from now on.
    func start(
      _ simulation: Simulation, while condition: @escaping @Sendable () -> Bool
    ) async -> Task<Void, any Error> {
      let network = SimulatedNetwork<Int>()
      let (host, spinner) = (network.host("host"), network.host("spinner"))
      let task = spinner.task { while condition() { await turn(simulation, host) } }
      await switchPoint()
      if self == .readAfterCrash { network.crash("host") } else { task.cancel() }
      return task
    }
  }

  @Test("A simulation ends by the limit of jobs if a cancelled task spins", arguments: Spin.allCases)
  func cancelledSpin(_ spin: Spin) async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate(limits: SimulationLimits(jobs: 1_000)) { simulation in
        // The task exceeds the limit by far, but not forever. So the test also ends if the limit does not hold.
        let turns = Note(0)
        let task = await spin.start(simulation) {
          turns.change { $0 += 1 }
          return turns.value < 100_000
        }
        try await task.value
      }
    }
    #expect(failure?.code == .runaway)
  }

  @Test(
    "A simulation ends by the limit of jobs if a cancelled task spins that the body does not wait for",
    arguments: Spin.allCases)
  func cancelledSpinAtEnd(_ spin: Spin) async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate(limits: SimulationLimits(jobs: 1_000)) { simulation in
        let turns = Note(0)
        _ = await spin.start(simulation) {
          turns.change { $0 += 1 }
          return turns.value < 100_000
        }
      }
    }
    #expect(failure?.code == .runaway)
  }

  @Test("A cancelled task that spins does not delay other tasks", arguments: Spin.allCases)
  func cancelledSpinIsFair(_ spin: Spin) async throws {
    try await simulate { simulation in
      let isDone = Note(false)
      let turns = Note(0)
      let task = await spin.start(simulation) {
        turns.change { $0 += 1 }
        return !isDone.value && turns.value < 10_000
      }
      await switchPoint()
      await switchPoint()
      isDone.value = true
      try await task.value
      #expect(turns.value < 100)
    }
  }

  @Test("The end of a simulation lets a body end that advances the time on and on")
  func advancingBody() async throws {
    struct Broken: Error {}
    let (hasEnded, turns) = (Note(false), Note(0))
    let error = await #expect(throws: (any Error).self) {
      try await simulate { simulation in
        defer { hasEnded.value = true }
        let host = SimulatedNetwork<Int>().host("host")
        _ = host.task {
          try await simulation.clock.sleep(for: .milliseconds(1_500))
          throw Broken()
        }
        while turns.value < 1_000 {
          turns.change { $0 += 1 }
          await simulation.clock.advance(by: .seconds(1))
        }
      }
    }
    #expect("\(String(describing: error))".contains("Broken"))
    #expect(hasEnded.value && turns.value > 1)
  }

  /// Runs a body that waits forever, with a store, and returns the store.
  private func deadlocked(
    _ body: @escaping @Sendable (Simulation, JournalStore) async -> Void
  ) async throws -> JournalStore? {
    let left = WeakNote()
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let store = simulation.store(Journal(), env: ())
          left.store = store
          await body(simulation, store)
        }
      })
    #expect(failure.code == .deadlock)
    return left.store
  }
}

/// The simulation that cancels itself.
private let cancelledSimulation = Note<Task<Void, any Error>?>(nil)

/// A weak reference to a store.
///
/// `@unchecked`: written by the simulation, which runs on the test's own thread, and read there when it has ended.
private final class WeakNote: @unchecked Sendable {
  weak var store: JournalStore?
}

func untilCancelled() async -> Never? {
  for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
  return nil
}
