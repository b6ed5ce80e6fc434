import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("A condition waited for beside others")
struct ConcurrentLivenessTests {
  @Test("Waits beside each other let time pass where nothing else can happen", arguments: [2, 3, 20])
  func timePasses(count: Int) async throws {
    try await explore(.seeds(50), atEnd: .cancels) { simulation in
      let clock = simulation.clock
      let isSet = Note(Set<Int>())
      for index in 0..<count {
        Task {
          try await clock.sleep(for: .seconds(index / 2 + 1))
          isSet.change { $0.insert(index) }
        }
      }
      try await withThrowingTaskGroup { group in
        for index in 0..<count {
          group.addTask { try await simulation.eventually(rounds: 20) { isSet.value.contains(index) } }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(
    "Waits beside each other let time pass even if conditions take several jobs each and something spins",
    arguments: [false, true])
  func longConditions(spins: Bool) async throws {
    try await explore(.seeds(20), atEnd: .cancels) { simulation in
      let steps = Note(0)
      let isDone = Note(false)
      Task {
        if !spins { try await simulation.clock.sleep(for: .seconds(5)) }
        await busyWait {
          steps.change { $0 += 1 }
          return spins && steps.value < 300
        }
        isDone.value = true
      }
      try await withThrowingTaskGroup { group in
        for length in [1, 7, 30] {
          group.addTask {
            try await simulation.eventually {
              for _ in 0..<length { await switchPoint() }
              return isDone.value
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("A condition may wait for another condition", arguments: [false, true])
  func nested(spins: Bool) async throws {
    try await explore(.seeds(50), atEnd: .cancels) { simulation in
      let count = Note(0)
      if spins { Task { await busyWait { !Task.isCancelled && count.value < 5 } } }
      Task {
        for _ in 0..<5 {
          if spins { await switchPoint() } else { try await simulation.clock.sleep(for: .seconds(1)) }
          count.change { $0 += 1 }
        }
      }
      async let other: Void = simulation.eventually { count.value >= 3 }
      try await simulation.eventually {
        try await simulation.eventually { count.value >= 2 }
        return count.value == 5
      }
      try await other
    }
  }

  @Test("Waits beside each other keep the schedule fair until the last condition holds")
  func fairness() async throws {
    for seed: UInt64 in 0..<50 {
      try await simulate(seed: seed, atEnd: .cancels) { simulation in
        let faults = simulation.faults(failures: 0.5)
        let (isSet, count) = (Note(false), Note(0))
        let call: @Sendable (Int) async throws -> Int = faults.applied { $0 }
        async let first: Void = simulation.eventually { isSet.value }
        async let second: Void = simulation.eventually { count.value == 20 }
        Task {
          try await simulation.clock.sleep(for: .seconds(1))
          isSet.value = true
          try await simulation.clock.sleep(for: .seconds(1))
          // Each of them fails under an unfair schedule.
          for _ in 0..<20 { if (try? await call(1)) != nil { count.change { $0 += 1 } } }
        }
        _ = try await (first, second)
      }
    }
  }

  @Test("A condition is asked again when another wait has made it true, or has failed")
  func chain() async throws {
    try await explore(.seeds(50)) { simulation in
      let (a, b, c) = (Note(false), Note(false), Note(false))
      try await withThrowingTaskGroup { group in
        group.addTask { try await simulation.eventually { c.value } }
        group.addTask {
          try await simulation.eventually { b.value }
          c.value = true
        }
        group.addTask {
          try await simulation.eventually { a.value }
          b.value = true
        }
        group.addTask {
          // Nothing can happen in this second, so this is the first one to give up.
          await #expect(throws: SimulationFailure.self) {
            try await simulation.eventually(within: .seconds(1)) { false }
          }
          a.value = true
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("A wait for a condition uses time that something else lets pass, and takes no longer than it may")
  func otherAdvances() async throws {
    try await explore(.seeds(50)) { simulation in
      let isOver = Note(false)
      let advancing = Task {
        await simulation.clock.advance(by: .seconds(10))
        isOver.value = true
      }
      let failure = try await #require(
        throws: SimulationFailure.self,
        performing: { try await simulation.eventually(within: .seconds(9)) { isOver.value } })
      #expect(failure.code == .liveness)
      #expect(simulation.clock.now.offset < .seconds(10))
      try await simulation.eventually(within: .seconds(10)) { isOver.value }
      await advancing.value
      let running = Task {
        await simulation.clock.run()
        isOver.value = false
      }
      try await simulation.eventually { !isOver.value }
      await running.value
    }
  }

  @Test("Each of several waits fails if its condition never holds, even if others spin", arguments: [false, true])
  func neverHolds(spins: Bool) async throws {
    try await explore(.seeds(10), atEnd: .cancels) { simulation in
      let spinner = Task { await busyWait { spins && !Task.isCancelled } }
      await withTaskGroup { group in
        for _ in 0..<3 {
          group.addTask {
            let failure = await #expect(throws: SimulationFailure.self) {
              try await simulation.eventually(rounds: 100) { false }
            }
            #expect(failure?.description.contains(spins ? "had its turn 100 times" : "can happen any more") == true)
          }
        }
      }
      spinner.cancel()
    }
  }

  @Test("A wait for a condition ends with the body, or with the simulation")
  func ends() async throws {
    // The last turn makes the condition true, so that nothing is left in flight.
    try await explore(.seeds(50)) { simulation in
      let isSet = Note(false)
      Task { try await simulation.eventually { isSet.value } }
      Task {
        await switchPoint()
        isSet.value = true
      }
    }
    let errors = Note<[String]>()
    try await simulate(atEnd: .cancels) { simulation in
      Task {
        while true {
          do { try await simulation.eventually { false } } catch { errors.add("\(error)") }
        }
      }
      await switchPoint()
    }
    #expect(errors.value.first == "CancellationError()")
  }
}
