import AsyncStore
import AsyncStoreTesting
import Testing

/// The tasks that go round in circles are the subject of these tests.
@Suite("A task that continues at each `await`")
struct EndlessJobTests {
  private actor Counter {
    var count = 0
    func value() -> Int { count }
    func increase() { count += 1 }

    /// Each call is an `await` that goes on at once.
    func increase(_ times: Int) async { for _ in 0..<times { await step() } }
    private func step() async { count += 1 }
  }

  /// The loop keeps the actor, because the compiler leaves out that it leaves it between two calls.
  @Test("A task that continues at each `await` is a runaway if it keeps an actor from the others")
  func actor() async throws {
    let body: @Sendable (Simulation) async throws -> Void = { _ in
      let counter = Counter()
      let waiting = Task { while await counter.value() < 3 {} }
      let counting = Task { for _ in 0..<3 { await counter.increase() } }
      await waiting.value
      await counting.value
    }
    let limits = SimulationLimits(jobs: 10_000)
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await simulate(limits: limits, body) })
    #expect(failure.code == .runaway)
    #expect(failure.description.contains("A task has continued at `await` 10000 times in a row without letting"))
    // It passes if the other task comes first, and each time if it yields.
    let found = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(100), limits: limits, body) })
    let schedule = try #require(found.schedule)
    let again = try await #require(
      throws: SimulationFailure.self,
      performing: { try await explore(.replay("\(schedule)"), limits: limits, body) })
    #expect(again.description.contains("Runaway: "))
    try await explore(.seeds(100)) { _ in
      let counter = Counter()
      let waiting = Task { await busyWait { await counter.value() < 3 } }
      let counting = Task { for _ in 0..<3 { await counter.increase() } }
      await waiting.value
      await counting.value
    }
  }

  @Test("A task that continues at each `await` is no runaway if it ends within the limit, in nested simulations too")
  func finite() async throws {
    let limits = SimulationLimits(jobs: 5_000)
    try await simulate(limits: limits) { _ in
      let counter = Counter()
      try await Task {
        await counter.increase(2_000)
        try await simulate(limits: limits) { _ in await Counter().increase(2_000) }
        await counter.increase(2_000)
      }.value
      #expect(await counter.value() == 4_000)
    }
  }
}
