import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Faults")
struct FaultsTests {
  @Test("Faults take time within their bounds, and fail as often as they should")
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
          #expect(error is InjectedFailure)
          failures += 1
        }
        let latency = start.duration(to: simulation.clock.now)
        #expect((.milliseconds(10) ... .milliseconds(50)).contains(latency))
        latencies.insert(latency)
      }
      #expect(200...300 ~= failures)
      #expect(latencies == [10, 20, 30, 40, 50].reduce(into: []) { $0.insert(.milliseconds($1)) })
    }
  }

  @Test("A fault that hangs does so until it is cancelled")
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

  @Test("A hang that nothing ends is reported as a deadlock")
  func hangIsDeadlock() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await simulate { simulation in try await simulation.faults(hangs: 1).strike() } })
    #expect(failure.code == .deadlock)
  }

  @Test("Faults are choices of the schedule, which are explored exhaustively, shrunk and replayed")
  func choices() async throws {
    let outcomes = Note<Set<String>>([])
    let report = try await explore(.exhaustive()) { simulation in
      let faults = simulation.faults(
        latency: .milliseconds(10) ... .milliseconds(50), failures: 0.01, error: { Failure("no") })
      let hasFailed = (try? await faults.strike()) == nil
      outcomes.change { $0.insert("\(simulation.clock.now) \(hasFailed)") }
    }
    #expect(report.scheduleCount == 10)
    #expect(outcomes.value.count == 10)

    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let faults = simulation.faults(latency: .zero ... .seconds(1), failures: 0.2)
      for number in 0..<20 where (try? await faults.strike()) == nil && number == 7 { throw Failure("seventh") }
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(100), body) })
    let schedule = try #require(failure.schedule)
    #expect(schedule.switchCount == 1)
    let again = await #expect(throws: SimulationFailure.self) {
      try await explore(.replay(schedule.description), body)
    }
    #expect(again?.schedule == schedule)
  }

  @Test("A fault may take until something else is due, so that the two are tried in any order, step by step")
  func coincidence() async throws {
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let isClosed = Note(false)
      let closing = Task {
        try await simulation.clock.sleep(for: .milliseconds(60))
        isClosed.value = true
      }
      await simulation.settle()
      let writing = Task {
        try await simulation.faults(latency: .milliseconds(10) ... .milliseconds(200)).strike()
        guard !isClosed.value else { return }
        for _ in 0..<4 { await switchPoint() }
        if isClosed.value { throw Failure("written after the end") }
      }
      try await closing.value
      try await writing.value
    }
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(1_000), body) })
    #expect(failure.description.contains("written after the end"))
    let schedule = try #require(failure.schedule)
    #expect(schedule.description.contains("f5/6"))
    let again = await #expect(throws: SimulationFailure.self) {
      try await explore(.replay(schedule.description), body)
    }
    #expect(again?.schedule == schedule)
  }

  @Test("Faults offer the first three deadlines within their bounds that are none of the five latencies")
  func deadlines() async throws {
    let latencies = Note<Set<Duration>>([])
    let report = try await explore(.exhaustive()) { simulation in
      let clock = simulation.clock
      async let sleepers: Void = withTaskGroup { group in
        for wake in [5, 20, 20, 23, 27, 41, 60] { group.addTask { try? await clock.sleep(for: .milliseconds(wake)) } }
      }
      try await simulation.eventually { clock.sleepers.count == 7 }
      try await simulation.faults(latency: .milliseconds(10) ... .milliseconds(50)).strike()
      let now = clock.now.offset
      latencies.change { $0.insert(now) }
      await sleepers
    }
    #expect(report.isExhaustive)
    #expect(latencies.value == Set([10, 20, 23, 27, 30, 40, 41, 50].map { .milliseconds($0) }))
  }

  @Test("Faults offer each deadline of a store, whatever its clock, and not only the first one")
  func storeDeadlines() async throws {
    for drift in [0, 1.0] {
      let latencies = Note<Set<Duration>>([])
      let report = try await explore(.exhaustive()) { simulation in
        let host = SimulatedNetwork<Int>().host("host", clock: ClockSkew(drift: drift))
        let stores = [simulation.store(Journal(), env: ()), host.store(Journal(), env: ())]
        for wait in [5, 33] { stores[0].receive(.sleep(.milliseconds(wait))) }
        for wait in [6, 43, 200] { stores[1].receive(.sleep(.milliseconds(wait) * (1 + Int(drift)))) }
        try await simulation.faults(latency: .milliseconds(10) ... .milliseconds(50)).strike()
        let now = simulation.clock.now.offset
        latencies.change { $0.insert(now) }
        await simulation.clock.run()
      }
      #expect(report.isExhaustive)
      #expect(latencies.value == Set([10, 20, 30, 33, 40, 43, 50].map { .milliseconds($0) }))
    }
  }

  @Test("A fault may be chosen while a store is locked, and then ignores that store's deadlines")
  func lockedStore() async throws {
    try await explore(.exhaustive()) { simulation in
      let network = SimulatedNetwork<Int>(NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9)))
      let (sender, receiver) = (network.host("sender"), network.host("receiver"))
      let store = simulation.store(Journal(), env: ())
      store.receive(.merge(.sleep(.milliseconds(2)), .set { _ in sender.send(1, to: "receiver") }))
      _ = await receiver.messages.first { _ in true }
      await simulation.clock.run()
    }
  }

  @Test("Under a fair schedule, or without a seed, only faults that are certain happen")
  func fairSchedule() async throws {
    let strikes: @Sendable (Simulation) async -> [Bool] = { simulation in
      var outcomes: [Bool] = []
      for failures in [0, 0.99, 1] {
        let faults = simulation.faults(latency: .seconds(1) ... .seconds(9), failures: failures)
        outcomes.append((try? await faults.strike()) == nil)
      }
      return outcomes
    }
    let outcomes = try await simulate { await strikes($0) }
    #expect(outcomes == [false, false, true])
    try await simulate(seed: 1) { simulation in
      let outcomes = Note<[Bool]?>(nil)
      Task { outcomes.value = await strikes(simulation) }
      try await simulation.eventually { outcomes.value != nil }
      #expect(outcomes.value == [false, false, true])
      #expect(simulation.clock.now.offset == .seconds(3))
    }
  }

  @Test("Faults that are impossible trap")
  func misuse() async throws {
    let latency = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ = $0.faults(latency: .seconds(-1) ... .zero) }
    }
    #expect(words(latency).contains("A latency can't be negative"))
    let failures = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ = $0.faults(failures: 1.5) }
    }
    #expect(words(failures).contains("A probability is from 0 to 1, and the probability of failures is 1.5."))
  }

  private func words(_ result: ExitTest.Result?) -> String {
    result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
  }

  @Test("The same seed gives the same faults, and another seed gives others")
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
