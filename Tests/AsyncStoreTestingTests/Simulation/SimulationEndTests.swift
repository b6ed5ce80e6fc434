import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("The end of a simulation")
struct SimulationEndTests {
  @Test("comes soon when its task is cancelled, with a CancellationError")
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
    // The rest ends within the jobs that an abandoned simulation gets.
    #expect(jobs.value < 20_000)
  }

  @Test("cancels what its body waits for, and lets go of the stores of a deadlock")
  func deadlockedStores() async throws {
    weak let store = try await deadlocked { simulation, store in
      await Task {
        for await _ in AsyncStream<Never>(unfolding: { await untilCancelled() }) {}
        _ = store.state
      }.value
    }
    #expect(store == nil)
  }

  @Test("comes also where what it cancels sleeps again and again")
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

  /// Runs a body that waits for ever, with a store, and returns the store.
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

private func untilCancelled() async -> Never? {
  for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
  return nil
}
