import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Faults")
struct FaultsTests {
  @Test("take time within their bounds, and fail as often as they should")
  func latencyAndFailures() async throws {
    try await simulate(seed: 1) { simulation in
      let faults = simulation.faults(latency: .milliseconds(10) ... .milliseconds(50), failures: 0.25)
      let add = faults.applied { (left: Int, right: Int) in left + right }
      var failures = 0
      var latencies: Set<Duration> = []
      for _ in 0..<1_000 {
        let start = simulation.clock.now
        do {
          #expect(try await add(1, 2) == 3)
        } catch {
          #expect(error is SimulatedFailure)
          failures += 1
        }
        let latency = start.duration(to: simulation.clock.now)
        #expect((.milliseconds(10) ... .milliseconds(50)).contains(latency))
        latencies.insert(latency)
      }
      #expect(200...300 ~= failures)
      #expect(latencies.count == 41)
    }
  }

  @Test("hang until they are cancelled")
  func hangs() async throws {
    try await simulate { simulation in
      let faults = simulation.faults(hangs: 1)
      let store = simulation.store(Journal(), env: ()) { error in .log("\(error is CancellationError)") }
      store.receive(
        .concatenate(
          .task {
            try await faults.strike()
            return .log("returned")
          }.timeout(.seconds(5)), .log("after")))
      await simulation.clock.advance(by: .seconds(4))
      #expect(store.log == [])
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.log.last == "after")
      #expect(!store.log.contains("returned"))
    }
  }

  @Test("are found as what a body waits for, if nothing ends them")
  func hangIsDeadlock() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await simulate { simulation in try await simulation.faults(hangs: 1).strike() } })
    #expect(failure.code == .deadlock)
  }

  @Test("are the same for the same seed, and others for another one")
  func seed() async throws {
    let outcomes: @Sendable (UInt64) async throws -> [Bool] = { seed in
      try await simulate(seed: seed) { simulation in
        let faults = simulation.faults(failures: 0.5, error: { Failure("no") })
        var outcomes: [Bool] = []
        for _ in 0..<32 { outcomes.append((try? await faults.strike()) != nil) }
        return outcomes
      }
    }
    #expect(try await outcomes(1) == outcomes(1))
    #expect(try await outcomes(1) != outcomes(2))
  }
}
