import AsyncStore
import AsyncStoreTesting
import Testing

/// The tasks that spin by yields are the subject of these tests.
@Suite("A condition that holds in the end")
struct LivenessTests {
  @Test("A wait for a condition gives fair turns and lets time pass")
  func holds() async throws {
    try await explore(.seeds(50)) { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(.concatenate(.sleep(.seconds(60)), .log("done")))
      try await simulation.eventually { store.log == ["done"] }
      #expect(simulation.clock.now.offset >= .seconds(60))
      let (isSet, isOver) = (Note(false), Note(false))
      Task {
        await busyWait { !isSet.value }
        isOver.value = true
      }
      Task { isSet.value = true }
      try await simulation.eventually { isOver.value }
    }
  }

  @Test("A wait for a condition fails if nothing can happen any more, or if everything had its turn in vain")
  func neverHolds() async throws {
    let hang = try await #require(
      throws: SimulationFailure.self,
      performing: { try await simulate { simulation in try await simulation.eventually { false } } })
    #expect(hang.code == .liveness)
    #expect(hang.description.contains("nothing can happen any more"))
    #expect(try await failureBesideASpin(rounds: 100).description.contains("had its turn 100 times"))
  }

  private func failureBesideASpin(rounds: Int) async throws -> SimulationFailure {
    try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(atEnd: .cancels) { simulation in
          Task { await busyWait { !Task.isCancelled } }
          try await simulation.eventually(rounds: rounds) { false }
        }
      })
  }

  @Test("A wait for a condition lets time pass, even if time passes only on demand")
  func manualTime() async throws {
    try await simulate(time: .manual) { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(.concatenate(.sleep(.seconds(60)), .log("a")))
      try await simulation.eventually { store.log == ["a"] }
      #expect(simulation.clock.now.offset == .seconds(60))
    }
  }

  @Test("An exploration reports a starvation if one schedule starves what holds in the end")
  func starvation() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        // The priorities let the one that spins go first, again and again, for longer than the limit allows.
        try await explore(.seeds(50, by: .priorities(depth: 1)), limits: SimulationLimits(jobs: 50)) { _ in
          let isSet = Note(false)
          await withTaskGroup { group in
            group.addTask { await busyWait { !isSet.value } }
            group.addTask { isSet.value = true }
          }
        }
      })
    #expect(failure.description.contains("Starvation: "))
  }

  @Test("A wait for a condition needs no more rounds than it says: one, and two for each yield")
  func rounds() async throws {
    for count in [0, 1, 2, 20] {
      try await simulate { simulation in
        let isOver = Note(false)
        let task = Task {
          for _ in 0..<count { await switchPoint() }
          isOver.value = true
        }
        try await simulation.eventually(rounds: 2 * count + 1) { isOver.value }
        await task.value
      }
    }
    #expect(try await failureBesideASpin(rounds: 1).description.contains("had its turn 1 time, and"))
  }

  @Test("A wait for a condition traps for numbers that allow nothing, and says why")
  func misuse() async throws {
    let rounds = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { simulation in try await simulation.eventually(rounds: 0) { true } }
    }
    #expect(errorText(of: rounds).contains("A condition can't come true within 0 rounds; allow at least one."))
    let time = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { simulation in try await simulation.eventually(within: .seconds(-1)) { true } }
    }
    #expect(errorText(of: time).contains("Time can't run backwards, and the duration is -1.0 seconds."))
  }
}
