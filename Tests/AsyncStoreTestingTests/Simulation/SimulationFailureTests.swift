import AsyncStore
import AsyncStoreTesting
import Foundation
import Testing

@Suite("The reports of a simulation")
struct SimulationFailureTests {
  @Test("A simulation reports a deadlock, with the effects in flight")
  func deadlock() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let store = simulation.store(Journal(), env: ())
          await store.run(.task(id: "waits") { await never() })
        }
      })
    #expect(failure.code == .deadlock)
    #expect(failure.description.contains("[waits] task"))
    #expect(failure.description.contains("SimulationFailureTests.swift:"))
  }

  @Test("A simulation reports who waits for whom in a deadlock, the cycle first")
  func cycle() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let second = Note<Task<Void, Never>?>(nil)
          let first = Task { await second.value?.value }
          second.value = Task { await first.value }
          await first.value
        }
      })
    #expect(failure.code == .deadlock)
    let lines = failure.description.split(separator: "\n")
    #expect(lines[1].hasPrefix("In a cycle: task 1 "))
    #expect(lines[1].contains(" waits for task 2 "))
    #expect(lines[2].hasPrefix("the body waits for task 1 "))
  }

  @Test("A simulation reports a cycle even if many others wait for one of its tasks")
  func cycleWithMoreWaiters() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let last = Note<Task<Void, Never>?>(nil)
          let first = Task {
            await switchPoint()
            await last.value?.value
          }
          last.value = Task { await first.value }
          for _ in 0..<40 { Task { await first.value } }
          await first.value
        }
      })
    #expect(failure.code == .deadlock)
    let lines = failure.description.split(separator: "\n")
    #expect(lines[1].hasPrefix("In a cycle: task 1 ") && lines[1].contains(" waits for task 2 "))
    #expect(lines.filter { $0.contains(" waits for task 1 ") }.count == 42)
  }

  @Test("A simulation reports that time stands still if the test has to let it pass")
  func manualTime() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(time: .manual) { simulation in try await simulation.clock.sleep(for: .seconds(1)) }
      })
    #expect(failure.code == .deadlock)
    #expect(failure.description.contains("time stands still"))
    #expect(failure.description.contains("a task until 1.0 seconds"))
  }

  @Test("A simulation reports a body that continues for more than the limit of jobs")
  func runawayByJobs() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(limits: SimulationLimits(jobs: 1_000)) { _ in
          while !Task.isCancelled { await switchPoint() }
        }
      })
    #expect(failure.code == .runaway)
    #expect(failure.description.contains("After 1000 jobs the body has not ended."))
  }

  @Test("A simulation reports what continues after the body for more than the limit of jobs")
  func runawayAfterBody() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(limits: SimulationLimits(jobs: 1_000)) { _ in
          Task { await busyWait { !Task.isCancelled } }
        }
      })
    #expect(failure.code == .runaway)
    #expect(failure.description.contains("After 1000 jobs the body has ended, and what it has begun continues."))
  }

  @Test("The report of a runaway names bindings that do not settle, whose rounds count as jobs")
  func unsettledBindings() async throws {
    let last = Note(0)
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(limits: SimulationLimits(jobs: 10_000)) { simulation in
          let (one, two) = (simulation.store(Journal(), env: ()), simulation.store(Journal(), env: ()))
          two.bind(id: "up", to: one, on: \.count) { count in
            last.value = count
            return .set(\.count, to: count + 1)
          }
          one.bind(id: "down", to: two, on: \.count) { .set(\.count, to: $0 + 1) }
          await one.run(.task { .set(\.count, to: 1) })
        }
      })
    #expect(failure.code == .runaway)
    #expect(failure.description.contains("1,000 times, and have not settled: down, up.\n"))
    #expect(last.value < 100_000)
  }

  @Test("A simulation reports no starvation of a body that ended before the limit of jobs")
  func lateEndAfterBody() async throws {
    try await simulate(limits: SimulationLimits(jobs: 1_000)) { simulation in
      Task { await busyWait { simulation.jobCount < 1_050 } }
    }
  }

  @Test("A simulation reports a starvation, or a limit too low, if the body ended only under the fair schedule")
  func lateBody() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(limits: SimulationLimits(jobs: 1_000)) { simulation in
          await busyWait { simulation.jobCount < 1_050 }
        }
      })
    #expect(failure.code == .starvation)
    #expect(failure.description.contains("or the limit is too low"))
  }

  @Test("A simulation reports a body that continues for more than the limit of time")
  func runawayByTime() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(limits: SimulationLimits(time: .seconds(60))) { simulation in
          let store = simulation.store(Journal(), env: ())
          store.receive(.timer(.seconds(1), id: "timer") { _ in .set { $0.count += 1 } })
          await simulation.clock.run()
        }
      })
    #expect(failure.code == .runaway)
    #expect(failure.description.contains("[timer] timer 1.0 seconds"))
  }

  @Test("A simulation reports what is in flight at the end, by identifier, label and line")
  func leak() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let store = simulation.store(Journal(), env: ())
          store.receive(.sleep(.seconds(1)).label("pause").id("job"))
          Task { try await simulation.clock.sleep(for: .seconds(2)) }
        }
      })
    #expect(failure.code == .leak)
    #expect(failure.description.contains("[job] \"pause\" sleep 1.0 seconds"))
    #expect(failure.description.contains("SimulationFailureTests.swift:"))
    #expect(failure.description.contains("a task until 2.0 seconds"))
  }

  @Test(
    "A simulation reports the name of the store that has something in flight, and the seed if there is one",
    arguments: [nil, 7])
  func names(seed: UInt64?) async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate(seed: seed) { simulation in
          simulation.store(Journal(), env: (), name: "alpha").receive(.sleep(.seconds(1)))
          simulation.store(Journal(), env: ()).receive(.sleep(.seconds(2)))
        }
      })
    let lines = failure.description.split(separator: "\n")
    #expect(lines.contains("In flight in AsyncStore<Journal, ()> \"alpha\":"))
    #expect(lines.contains("AsyncStore<Journal, ()>:"))
    #expect(lines.last?.contains(seed == nil ? "; no seed, " : "; seed 7, ") == true)
  }

  @Test("A simulation reports no leak if the test allows it, or if the store has been deactivated")
  func allowedLeak() async throws {
    try await simulate(atEnd: .cancels) { simulation in
      simulation.store(Journal(), env: ()).receive(.sleep(.seconds(1)))
    }
    try await simulate { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(.sleep(.seconds(1)))
      store.deactivate()
    }
  }

  @Test("A simulation reports no leak of a store that it has not made, unless it was told to watch it")
  func watchedStore() async throws {
    let body: @Sendable (Simulation) -> JournalStore = { simulation in
      JournalStore(state: Journal(), env: (), clock: simulation.clock, executor: simulation.executor)
    }
    try await simulate { simulation in _ = body(simulation).receive(.task { await never() }) }
    await #expect(throws: SimulationFailure.self) {
      try await simulate { simulation in
        let store = body(simulation)
        simulation.watch(store)
        store.receive(.task { await never() })
      }
    }
  }

  @Test("A simulation reports a sleeping store that is not watched, in leaks and deadlocks, but no dropped one")
  func unwatchedSleeper() async throws {
    let make: @Sendable (Simulation) -> JournalStore = { simulation in
      JournalStore(state: Journal(), env: (), clock: simulation.clock, executor: simulation.executor)
    }
    let kept = Note<JournalStore?>(nil)
    for effect in [JournalStore.Effect.sleep(.seconds(5)), .timer(.seconds(5), id: "ticks") { _ in .none }] {
      let leak = try await #require(
        throws: SimulationFailure.self,
        performing: {
          try await simulate { simulation in
            let store = make(simulation)
            kept.value = store
            store.receive(effect)
            await simulation.settle()
            #expect(simulation.clock.sleepers.map(\.description) == ["5.0 seconds: a store that is not watched"])
          }
        })
      #expect(leak.code == .leak)
      #expect(leak.description.contains("\nAsleep on the clock: a store that is not watched, until 5.0 seconds\n"))
      #expect(!leak.description.contains("A task has not returned"))
    }
    let deadlock = try await #require(
      throws: SimulationFailure.self,
      performing: { try await simulate(time: .manual) { await make($0).run(.sleep(.seconds(5))) } })
    #expect(deadlock.code == .deadlock)
    #expect(deadlock.description.contains("a store that is not watched, until 5.0 seconds"))
    try await simulate { simulation in make(simulation).receive(.sleep(.seconds(5))) }
    try await simulate { simulation in
      let store = make(simulation)
      simulation.watch(store)
      await store.run(.sleep(.seconds(5)))
    }
  }

  @Test("A simulation reports no leak of a store whose throttle's window is open, whoever has made it")
  func openWindow() async throws {
    let effect = JournalStore.Effect.logTask("ran").throttle(for: .seconds(10), id: "window")
    try await simulate { simulation in
      let stores = [
        simulation.store(Journal(), env: ()),
        JournalStore(state: Journal(), env: (), clock: simulation.clock, executor: simulation.executor),
      ]
      simulation.watch(stores[1])
      for store in stores {
        await store.run(effect)
        #expect(store.log == ["ran"])
      }
    }
  }

  @Test("A simulation reports a task that is resumed from another thread")
  func foreignThread() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { _ in
          let waiter = Note<UnsafeContinuation<Void, Never>?>(nil)
          Task {
            let resumed = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
              waiter.value?.resume()
              resumed.signal()
            }
            resumed.wait()
          }
          await withUnsafeContinuation { waiter.value = $0 }
        }
      })
    #expect(failure.code == .escape)
  }

  @Test("A simulation reports a sleep on the system's clock")
  func systemSleep() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      // The mistake that is to be reported; nothing waits for it.
      performing: { try await simulate { _ in try await Task.sleep(for: .seconds(3_600)) } })
    #expect(failure.code == .escape)
    #expect(failure.description.contains("Something sleeps on the system's clock"))
  }
}

/// Is never resumed, except by a cancel.
private func never() async -> JournalStore.Effect {
  let stream = AsyncStream<Never> { _ in }
  for await _ in stream {}
  return .none
}
