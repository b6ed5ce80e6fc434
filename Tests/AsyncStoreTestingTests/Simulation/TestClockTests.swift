import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("The test clock")
struct TestClockTests {
  @Test("The test clock advances to a moment and not past it, and returns when all that is due has happened")
  func advanceIsExact() async throws {
    try await simulate { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(.concatenate(.sleep(.milliseconds(300)), .logTask("a"), .logTask("b")))
      await simulation.clock.advance(by: .milliseconds(299))
      #expect(store.log == [])
      await simulation.clock.advance(by: .milliseconds(1))
      #expect(store.log == ["a", "b"])
      #expect(simulation.clock.now.offset == .milliseconds(300))
    }
  }

  @Test("The test clock delivers a hundred hops of each tick before the next")
  func hopsAreWaitedFor() async throws {
    try await simulate { simulation in
      let store = simulation.store(Journal(), env: ())
      let timer = store.receive(
        .timer(.seconds(1), id: "timer") { tick in
          .task {
            for _ in 0..<100 { await switchPoint() }
            return .log("\(tick.index)")
          }
        })
      for tick in 1...20 {
        await simulation.clock.advance(by: .seconds(1))
        #expect(store.log.count == tick)
      }
      timer.cancel()
    }
  }

  @Test("The test clock delivers a day of one-second ticks, each of them, in order")
  func dayOfTicks() async throws {
    let count = TestSize.many(86_400)
    let ticks = try await simulate { simulation in
      let store = simulation.store([Int](), env: ())
      let timer = store.receive(.timer(.seconds(1), id: "timer") { tick in .set { $0.append(tick.index) } })
      await simulation.clock.advance(by: .seconds(count))
      timer.cancel()
      return store.state
    }
    #expect(ticks == Array(ticks.first!..<(ticks.first! + count)))
  }

  @Test("The test clock wakes those with the same deadline in the order in which they fell asleep")
  func equalDeadlinesKeepOrder() async throws {
    try await simulate { simulation in
      let log = Note<[String]>()
      await withThrowingTaskGroup { group in
        for name in ["a", "b", "c"] {
          group.addTask {
            try await simulation.clock.sleep(for: .seconds(1))
            log.add(name)
          }
        }
      }
      #expect(log.value == ["a", "b", "c"])
    }
  }

  @Test("A sleep on the test clock suspends even if its deadline has passed, so that others run")
  func pastDeadlineSuspends() async throws {
    try await simulate { simulation in
      let log = Note<[String]>()
      let clock = simulation.clock
      async let first: Void = {
        for _ in 0..<3 {
          try await clock.sleep(until: clock.now)
          log.add("first")
        }
      }()
      async let second: Void = {
        for _ in 0..<3 {
          try await clock.sleep(until: TestClock.Instant(offset: .seconds(-1)))
          log.add("second")
        }
      }()
      _ = try await (first, second)
      #expect(log.value == ["first", "second", "first", "second", "first", "second"])
    }
  }

  @Test("The test clock ends a cancelled sleep at once")
  func sleepIsCancelled() async throws {
    try await simulate { simulation in
      let task = Task { try await simulation.clock.sleep(for: .seconds(60)) }
      await simulation.clock.advance(by: .seconds(1))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(simulation.clock.now.offset == .seconds(1))
      await #expect(throws: CancellationError.self) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.cancelAll()
          group.addTask { try await simulation.clock.sleep(for: .seconds(60)) }
          try await group.waitForAll()
        }
      }
    }
  }

  @Test("The test clock tells who sleeps, until when, and for which effect")
  func sleepersAreListed() async throws {
    try await simulate { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(.merge(.sleep(.seconds(2)).id("long"), .sleep(.seconds(1)).label("short")))
      let task = Task { try await simulation.clock.sleep(for: .milliseconds(1_500)) }
      await simulation.settle()
      #expect(simulation.clock.nextDeadline?.offset == .seconds(1))
      let sleepers = simulation.clock.sleepers
      #expect(sleepers.map(\.deadline.offset) == [.seconds(1), .milliseconds(1_500), .seconds(2)])
      #expect(sleepers.map { $0.effect?.label } == ["short", nil, nil])
      #expect(sleepers.map { $0.effect?.identifier } == [nil, nil, "long"])
      await simulation.clock.run()
      #expect(simulation.clock.now.offset == .seconds(2))
      #expect(simulation.clock.sleepers.isEmpty)
      try await task.value
    }
  }

  @Test("Sleepers of a host whose clock drifts are listed by the simulation's time")
  func sleepersOfSkewedHosts() async throws {
    try await simulate(atEnd: .cancels) { simulation in
      let network = SimulatedNetwork<Int>()
      let slow = network.host("slow", clock: ClockSkew(offset: .seconds(5), drift: -0.5))
      let store = slow.store(Journal(), env: ())
      store.receive(.concatenate(.sleep(.seconds(1)), .log("late")))
      #expect(simulation.clock.nextDeadline?.offset == .seconds(2))
      await simulation.clock.advance(to: try #require(simulation.clock.nextDeadline))
      #expect(store.log == ["late"])
    }
  }

  @Test("Waits of a watched store are listed once each, by the simulation's time, whatever its clock")
  func sleepersOfWatchedStores() async throws {
    try await simulate(atEnd: .cancels) { simulation in
      let host = SimulatedNetwork<Int>().host("slow", clock: ClockSkew(drift: -0.5))
      let slow = JournalStore(state: Journal(), env: (), clock: host.clock, executor: simulation.executor)
      let ordinary = JournalStore(state: Journal(), env: (), clock: simulation.clock, executor: simulation.executor)
      simulation.watch(slow)
      simulation.watch(ordinary)
      slow.receive(.sleep(.seconds(2)).id("slow"))
      ordinary.receive(.sleep(.seconds(3)).id("ordinary"))
      await simulation.settle()
      let sleepers = simulation.clock.sleepers
      #expect(sleepers.map(\.deadline.offset) == [.seconds(3), .seconds(4)])
      #expect(sleepers.map { $0.effect?.identifier } == ["ordinary", "slow"])
      #expect(simulation.clock.nextDeadline?.offset == .seconds(3))
    }
  }

  @Test("The test clock runs until nobody sleeps")
  func runsToTheEnd() async throws {
    try await simulate(time: .manual) { simulation in
      let store = simulation.store(Journal(), env: ())
      store.receive(.concatenate(effects: (1...10).map { .concatenate(.sleep(.seconds($0)), .log("\($0)")) }))
      await simulation.clock.run()
      #expect(store.log.count == 10)
      #expect(simulation.clock.now.offset == .seconds(55))
    }
  }

  @Test("The test clock lets several tasks wait for different moments")
  func severalAdvance() async throws {
    try await simulate(time: .manual) { simulation in
      let log = Note<[String]>()
      async let late: Void = {
        await simulation.clock.advance(by: .seconds(2))
        log.add("late at \(simulation.clock.now)")
      }()
      async let early: Void = {
        await simulation.clock.advance(by: .seconds(1))
        log.add("early at \(simulation.clock.now)")
      }()
      _ = await (late, early)
      #expect(log.value == ["early at 1.0 seconds", "late at 2.0 seconds"])
    }
  }

  @Test("With jitter, a sleeper wakes late, never early, and never later than the moment that is advanced to")
  func jitterIsBounded() async throws {
    var crossed = 0
    for seed in 0..<50 as Range<UInt64> {
      let order = try await simulate(seed: seed, jitter: .milliseconds(5)) { simulation in
        let log = Note<[String]>()
        let clock = simulation.clock
        for (name, milliseconds) in [("a", 10), ("b", 12)] {
          Task {
            try await clock.sleep(for: .milliseconds(milliseconds))
            #expect(clock.now.offset >= .milliseconds(milliseconds))
            log.add(name)
          }
        }
        await clock.advance(by: .milliseconds(12))
        #expect(log.value.count == 2)
        return log.value
      }
      if order == ["b", "a"] { crossed += 1 }
    }
    #expect(crossed > 0 && crossed < 50)
  }
}
