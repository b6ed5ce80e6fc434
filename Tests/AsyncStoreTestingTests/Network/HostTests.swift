import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("A host of a simulated network")
struct HostTests {
  typealias Network = SimulatedNetwork<Int>

  // MARK: Crash and restart

  @Test("A host loses its stores, tasks and messages in a crash, and runs its body again when it restarts")
  func crash() async throws {
    try await simulate { simulation in
      let log = Note<[String]>()
      let network = Network()
      let lives = Note(0)
      let peer = network.host("peer")
      network.host("a") { host in
        lives.change { $0 += 1 }
        let life = lives.value
        let store = host.store(Journal(), env: ())
        store.receive(
          .timer(.seconds(1), id: "clock") { _ in
            log.add("tick \(life)")
            return .none
          })
        host.task {
          try await host.clock.sleep(for: .milliseconds(2_500))
          log.add("task \(life)")
        }
        for await envelope in host.messages { log.add("message \(envelope.message) \(life)") }
        log.add("end \(life)")
        host.send(99, to: "peer")
      }
      await simulation.clock.advance(by: .seconds(1))
      peer.send(1, to: "a")
      await simulation.settle()
      #expect(log.value == ["tick 1", "message 1 1"])
      network.crash("a")
      #expect(network["a"] == nil)
      peer.send(2, to: "a")
      await simulation.clock.advance(by: .seconds(10))
      #expect(log.value == ["tick 1", "message 1 1", "end 1"])
      network.restart("a")
      peer.send(3, to: "a")
      await simulation.clock.advance(by: .seconds(3))
      #expect(log.value.dropFirst(3).sorted() == ["message 3 2", "task 2", "tick 2", "tick 2", "tick 2"])
      #expect(!network.events.contains { $0.message == 99 }, "a crashed host sends nothing")
    }
  }

  @Test("A host takes nothing up after its crash")
  func crashIsBarrier() async throws {
    try await simulate { simulation in
      let network = Network()
      let a = network.host("a")
      let old = a.store(Journal(), env: ())
      network.crash("a")
      network.crash("a")
      old.receive(.log("late"))
      let late = a.store(Journal(), env: ())
      late.receive(.log("late"))
      a.storage.write(1, to: "key")
      let ran = Note(false)
      a.task {
        try Task.checkCancellation()
        ran.value = true
      }
      await simulation.settle()
      #expect(!a.isUp)
      #expect(old.log.isEmpty && late.log.isEmpty && !ran.value)
      await #expect(throws: CancellationError.self) { try await a.storage.sync() }
      network.restart("a")
      #expect(network["a"]?.storage.read("key", as: Int.self) == nil)
      #expect(network.events.count { $0.kind == .crashed } == 1)
    }
  }

  @Test("A host does not begin a task if its life has ended before the task's first job")
  func crashBeforeTask() async throws {
    try await explore(.exhaustive()) { simulation in
      let network = Network()
      let hasBegun = Note(false)
      network.host("a") { host in if !host.isUp { hasBegun.value = true } }
      network["a"]?.task { [a = network["a"]] in if a?.isUp == false { hasBegun.value = true } }
      network.crash("a")
      await simulation.settle()
      #expect(!hasBegun.value)
    }
  }

  @Test("A host is neither started again nor added when the body of the simulation has ended")
  func restartAtEnd() async throws {
    try await inParallel {
      let runs = Note(0)
      try await explore(.seeds(5)) { simulation in
        let network = Network()
        let hasEnded = Note(false)
        network.host("a") { host in
          if hasEnded.value { runs.change { $0 += 1 } }
          for await _ in host.messages {}
        }
        Task {
          for number in 0..<4 {
            await switchPoint()
            network.restart("a")
            network.host("\(number)") { host in for await _ in host.messages {} }
            network["a"]?.send(1, to: "a")
          }
        }
        Task {
          // A loop over a host's messages ends with the host, even if it is not a task of the host.
          for await _ in network.host("b").messages {}
          let another = Network()
          for await _ in another.host("b").messages {}
        }
        await switchPoint()
        hasEnded.value = true
      }
      #expect(runs.value == 0)
    }
  }

  @Test("A host keeps what was synced over a crash, and of the rest what the schedule chooses")
  func storage() async throws {
    let outcomes = Note<Set<String>>([])
    let report = try await explore(.exhaustive()) { simulation in
      let network = Network()
      let a = network.host("a")
      a.storage.write("synced", to: "x")
      a.storage.write("synced", to: "removed")
      try await a.storage.sync()
      a.storage.write("written", to: "x")
      a.storage.write("written", to: "y")
      a.storage.remove("removed")
      #expect(a.storage.read("x", as: String.self) == "written")
      #expect(a.storage.read("removed", as: String.self) == nil)
      network.restart("a")
      let storage = try #require(network["a"]).storage
      let values = ["x", "y", "removed"].map { storage.read($0, as: String.self) ?? "-" }
      outcomes.change { $0.insert(values.joined(separator: " ")) }
    }
    #expect(report.scheduleCount == 8)
    #expect(
      outcomes.value == [
        "synced - synced", "synced - -", "synced written synced", "synced written -", "written - synced",
        "written - -", "written written synced", "written written -",
      ])
  }

  @Test("A host syncs what was written before the call, and nothing that was written meanwhile")
  func writeDuringSync() async throws {
    let outcomes = Note<Set<String>>([])
    try await explore(.exhaustive()) { simulation in
      let network = Network()
      let a = network.host("a")
      a.storage.write("before", to: "x")
      let isSyncing = Note(false)
      let sync = a.task {
        isSyncing.value = true
        try await a.storage.sync()
        isSyncing.value = false
      }
      await switchPoint()
      let isMeanwhile = isSyncing.value
      a.storage.write("meanwhile", to: "x")
      try await sync.value
      network.restart("a")
      let value: String? = network["a"]?.storage.read("x")
      if isMeanwhile { outcomes.change { $0.insert(value ?? "-") } }
    }
    #expect(outcomes.value == ["before", "meanwhile"])
  }

  @Test("A host that crashes during a sync may lose the data, but not after the sync has returned")
  func crashDuringSync() async throws {
    let lost = Note(0)
    try await explore(.exhaustive()) { simulation in
      let network = Network()
      let isSynced = Note(false)
      network.host("a") { host in
        guard host.storage.read("x", as: Int.self) == nil else { return }
        host.storage.write(1, to: "x")
        try await host.storage.sync()
        isSynced.value = true
      }
      await switchPoint()
      network.restart("a")
      let isKept = network["a"]?.storage.read("x", as: Int.self) != nil
      if isSynced.value { #expect(isKept) }
      if !isKept { lost.change { $0 += 1 } }
    }
    #expect(lost.value > 0)
  }

  @Test("A host reads nothing from its storage after its crash, and syncs nothing for a cancelled task")
  func storageOfNobody() async throws {
    try await simulate { _ in
      let network = Network()
      let a = network.host("a")
      let task = a.task {
        a.storage.write(1, to: "x")
        try await a.storage.sync()
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await a.storage.sync()
      network.crash("a")
      #expect(a.storage.read("x", as: Int.self) == nil)
      network.restart("a")
      #expect(network["a"]?.storage.read("x", as: Int.self) == 1)
    }
  }

  // MARK: Clocks

  @Test("A host has a clock with an offset and a drift, for its tasks and its stores")
  func skew() async throws {
    try await simulate { simulation in
      let network = Network()
      let fast = network.host("fast", clock: ClockSkew(offset: .seconds(100), drift: 0.25))
      let slow = network.host("slow", clock: ClockSkew(offset: .seconds(-1), drift: -0.5))
      let stores = [fast, slow].map { $0.store(Journal(), env: ()) }
      for store in stores { store.receive(.timer(.seconds(1), id: "clock") { _ in .set { $0.count += 1 } }) }
      await simulation.clock.advance(by: .seconds(4))
      #expect(stores.map(\.count) == [5, 2])
      #expect(fast.clock.now.offset == .seconds(105))
      #expect(slow.clock.now.offset == .seconds(1))
      try await slow.clock.sleep(for: .seconds(1))
      #expect(simulation.clock.now.offset == .seconds(6))
      try await fast.clock.sleep(until: TestClock.Instant(offset: .seconds(110)))
      #expect(simulation.clock.now.offset == .seconds(8))
    }
  }

  @Test("A host never wakes early, whatever the drift")
  func neverEarly() async throws {
    try await simulate(seed: 1) { simulation in
      let network = Network()
      for number in 0..<200 {
        let drift = Double(simulation.random.next(in: -900_000_000...1_000_000_000 as ClosedRange<Int64>)) / 1e9
        let host = network.host("\(number)", clock: ClockSkew(drift: drift))
        let length = Duration.nanoseconds(simulation.random.next(in: 1...10_000_000_000 as ClosedRange<Int64>))
        let start = host.clock.now
        try await host.clock.sleep(for: length)
        let slept = start.duration(to: host.clock.now)
        #expect(length <= slept && slept < length + .nanoseconds(1))
        let store = host.store(Journal(), env: ())
        let begin = host.clock.now
        await store.run(.sleep(length))
        #expect(begin.duration(to: host.clock.now) >= length)
      }
    }
  }

  @Test("A host sleeps as long as there is time, and reads its clock then, whatever the drift")
  func longTimes() async throws {
    let century = Duration.seconds(100 * 366 * 86_400)
    let ages = Duration.seconds(1 << 60)
    for (drift, reading) in [(0.25, 5 << 58), (-0.5, 1 << 59), (1, 1 << 61), (0, 1 << 60)] as [(Double, Int64)] {
      let skew = ClockSkew(offset: .seconds(-1), drift: drift)
      #expect(skew.reading(at: ages) == .seconds(reading - 1))
      #expect(skew.reading(at: .zero - ages) == .seconds(-reading - 1))
    }
    for drift in [-0.999_999_998, -0.9, -0.1, 0, 0.000_1, 0.3, 1] {
      try await simulate(limits: SimulationLimits(time: .seconds(Int64.max))) { simulation in
        let host = Network().host("a", clock: ClockSkew(offset: .seconds(-7), drift: drift))
        let hasWoken = Note(false)
        host.task {
          try await host.clock.sleep(for: .seconds(Int64.max))
          hasWoken.value = true
        }
        let store = host.store(Journal(), env: ())
        store.receive(.sleep(.seconds(Int64.max)))
        await simulation.clock.advance(by: century)
        #expect(!hasWoken.value)
        #expect(abs(host.clock.now.offset / century - (1 + drift)) < 0.000_001)
        if drift < 0 { return }
        await simulation.clock.advance(to: TestClock.Instant(offset: .seconds(Int64.max)))
        #expect(host.clock.now.offset >= .seconds(Int64.max) - .seconds(7))
        #expect(hasWoken.value)
      }
    }
  }

  // MARK: Failures

  @Test("A host fails the simulation with the error of its body or of one of its tasks")
  func bodyFails() async throws {
    await #expect(throws: Failure("body")) {
      try await simulate { simulation in
        Network().host("a") { _ in throw Failure("body") }
        try await simulation.clock.hang()
      }
    }
    await #expect(throws: Failure("task")) {
      try await simulate { simulation in
        let network = Network()
        network.host("a").task { throw Failure("task") }
        await simulation.settle()
      }
    }
    try await simulate { simulation in
      let network = Network()
      network.host("a") { host in
        for await _ in host.messages {}
        throw Failure("after the crash")
      }
      await simulation.settle()
      network.crash("a")
    }
  }

  @Test("A host is a leak if its cancellation does not end it")
  func leak() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          Network().host("a") { _ in
            await Task { for await _ in stream {} }.value
            withExtendedLifetime(continuation) {}
          }
          await simulation.settle()
        }
      })
    #expect(failure.code == .leak)
    #expect(failure.description.contains("Host \"a\" was stopped, and a task of it has not returned"))
  }

  @Test("A host is a leak even if a later life of it has ended")
  func leakOfAnEarlierLife() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          let (network, lives) = (Network(), Note(0))
          network.host("a") { _ in
            lives.change { $0 += 1 }
            if lives.value > 1 { return }
            await Task { for await _ in stream {} }.value
            withExtendedLifetime(continuation) {}
          }
          await simulation.settle()
          network.restart("a")
          await simulation.settle()
        }
      })
    #expect(failure.code == .leak)
    #expect(failure.description.contains("Host \"a\" was stopped, and a task of it has not returned"))
  }

  @Test("A host does not fail the simulation with the error of a task that was cancelled")
  func cancelledTask() async throws {
    try await simulate { simulation in
      let a = Network().host("a")
      let task = a.task { try await a.clock.sleep(for: .seconds(60)) }
      await simulation.settle()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
