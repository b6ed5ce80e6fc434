import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("The traits for simulations")
struct SimulationTraitTests {
  @Test("The trait `simulated` runs a test in a simulation", .simulated(seed: 4))
  func simulated() async throws {
    let simulation = try #require(Simulation.current)
    #expect(simulation.seed == 4)
    let store = simulation.store(Journal(), env: ())
    await store.run(.concatenate(.sleep(.seconds(60)), .log("a")))
    #expect(store.log == ["a"])
  }

  private static let seeds = Note<Set<UInt64>>([])

  @Test("The trait `explored` runs a test under many schedules", .explored(.seeds(50)))
  func explored() async throws {
    let simulation = try #require(Simulation.current)
    Self.seeds.change { $0.insert(simulation.seed) }
    let store = simulation.store(Journal(), env: ())
    await store.run(.merge(.logTask("a"), .logTask("b")))
    #expect(store.log.sorted() == ["a", "b"])
    if simulation.seed == 49 { #expect(Self.seeds.value.count == 50) }
  }

  @Test(
    "The trait `explored` runs a test under all schedules, for each of its arguments", .explored(.exhaustive()),
    arguments: [1, 2])
  func exhaustive(count: Int) async throws {
    let store = try #require(Simulation.current).store(0, env: ())
    await store.run(.merge(effects: (0..<count).map { _ in .task { .set { $0 += 1 } } }))
    #expect(store.state == count)
  }

  @Test("The traits fail a test whose body waits forever, and continue") func deadlock() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await scope(of: .simulated()) { await forever() } })
    #expect(failure.code == .deadlock)
    let find = try await #require(
      throws: SimulationFailure.self,
      performing: { try await scope(of: .explored(.seeds(20))) { await forever() } })
    #expect(find.description.contains("Deadlock"))
  }

  /// Has a trait run a function as a test's.
  private func scope(of trait: SimulationTrait, _ function: @Sendable () async throws -> Void) async throws {
    let test = try #require(Test.current)
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: function)
  }

  private func forever() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
}

@Suite("A suite in simulations", .simulated(seed: 9))
struct SimulatedSuiteTests {
  @Test("A suite in simulations runs each of its tests in a simulation of its own")
  func first() throws {
    #expect(try #require(Simulation.current).seed == 9)
    #expect(try #require(Simulation.current).clock.now.offset == .zero)
  }

  @MainActor @Test("A suite in simulations simulates the main actor")
  func onMainActor() async throws {
    let simulation = try #require(Simulation.current)
    MainActor.assertIsolated()
    await simulation.clock.advance(by: .seconds(1))
    #expect(simulation.clock.now.offset == .seconds(1))
  }
}
