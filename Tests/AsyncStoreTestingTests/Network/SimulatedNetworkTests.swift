import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("A simulated network")
struct SimulatedNetworkTests {
  typealias Network = SimulatedNetwork<Int>

  // MARK: Messages

  @Test("A simulated network delivers a message when its latency has passed")
  func latency() async throws {
    try await simulate { simulation in
      let network = Network(NetworkConditions(latency: .milliseconds(7) ... .milliseconds(7)))
      let (a, b) = (network.host("a"), network.host("b"))
      a.send(3, to: "b")
      let envelope = try #require(await b.messages.first { _ in true })
      #expect(envelope.message == 3)
      #expect(envelope.sender == "a")
      #expect(simulation.clock.now.offset == .milliseconds(7))
    }
  }

  @Test("Without a seed, a simulated network has neither faults nor more than the least latency")
  func noSeed() async throws {
    try await simulate { simulation in
      let network = Network(
        NetworkConditions(
          latency: .milliseconds(1) ... .milliseconds(9), loss: 0.9, duplication: 0.9, reordering: 0.9))
      let received = try await exchange(20, network, simulation)
      #expect(received == Array(0..<20))
      #expect(simulation.schedule.switchCount == 0)
    }
  }

  @Test("A simulated network delivers in the order of sending, unless links reorder")
  func reordering() async throws {
    let range = Duration.milliseconds(1) ... .milliseconds(9)
    for seed in 0..<20 as Range<UInt64> {
      let inOrder = try await exchange(20, seed: seed, NetworkConditions(latency: range))
      #expect(inOrder == Array(0..<20))
    }
    let orders = try await withThrowingTaskGroup(of: [Int].self) { group in
      for seed in 0..<20 as Range<UInt64> {
        group.addTask { try await exchange(20, seed: seed, NetworkConditions(latency: range, reordering: 1)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(orders.allSatisfy { $0.sorted() == Array(0..<20) })
    #expect(orders.contains { $0 != Array(0..<20) })
  }

  @Test("A simulated network loses and duplicates messages as often as its conditions say")
  func lossAndDuplication() async throws {
    let lossy = try await exchange(1_000, seed: 1, NetworkConditions(loss: 0.25))
    #expect(700...800 ~= lossy.count)
    #expect(Set(lossy).count == lossy.count)
    let twice = try await exchange(1_000, seed: 1, NetworkConditions(duplication: 0.25))
    #expect(1_200...1_300 ~= twice.count)
    #expect(Set(twice).count == 1_000)
    #expect(try await exchange(10, seed: 1, NetworkConditions(loss: 1)) == [])
  }

  @Test("A simulated network has no faults for messages of a host to itself")
  func loopback() async throws {
    try await simulate(seed: 1) { simulation in
      let network = Network(NetworkConditions(latency: .seconds(1) ... .seconds(1), loss: 1))
      let a = network.host("a")
      a.send(1, to: "a")
      #expect(await a.messages.first { _ in true }?.message == 1)
      #expect(simulation.clock.now.offset == .zero)
    }
  }

  @Test("A simulated network gives single links conditions of their own")
  func linkConditions() async throws {
    try await simulate(seed: 1) { simulation in
      let network = Network()
      let (a, b) = (network.host("a"), network.host("b"))
      network.setConditions(NetworkConditions(loss: 1), from: "a", to: "b")
      a.send(1, to: "b")
      b.send(2, to: "a")
      #expect(await a.messages.first { _ in true }?.message == 2)
      network.setConditions(nil, from: "a", to: "b")
      a.send(3, to: "b")
      #expect(await b.messages.first { _ in true }?.message == 3)
    }
  }

  // MARK: Partitions

  @Test("A partition loses a message on its way, even if it is healed before the message arrives")
  func partitionDuringLatency() async throws {
    try await simulate { simulation in
      let network = Network(NetworkConditions(latency: .milliseconds(10) ... .milliseconds(10)))
      let (a, b) = (network.host("a"), network.host("b"))
      a.send(1, to: "b")
      b.send(2, to: "a")
      await simulation.clock.advance(by: .milliseconds(2))
      network.partition(["a"], from: ["b"], isOneWay: true)
      await simulation.clock.advance(by: .milliseconds(2))
      network.heal()
      a.send(3, to: "b")
      #expect(await b.messages.first { _ in true }?.message == 3)
      #expect(await a.messages.first { _ in true }?.message == 2)
    }
  }

  @Test("A partition loses messages between its sides, those on their way too, until it is healed")
  func partition() async throws {
    try await simulate { simulation in
      let network = Network(NetworkConditions(latency: .milliseconds(5) ... .milliseconds(5)))
      let received = Note<[String]>()
      for name in ["a", "b", "c"] {
        network.host(name) { host in
          for await envelope in host.messages { received.add("\(envelope.sender)\(name)\(envelope.message)") }
        }
      }
      let send: @Sendable (Int) async -> Void = { number in
        for sender in ["a", "b"] { network[sender]?.broadcast(number) }
        await simulation.clock.advance(by: .milliseconds(5))
      }
      network["a"]?.send(0, to: "b")
      network.partition(["a"], from: ["b", "c"])
      await send(1)
      #expect(received.value == ["bc1"])
      network.heal()
      received.value = []
      network.partition(["a"], from: ["b"], isOneWay: true)
      await send(2)
      #expect(received.value.sorted() == ["ac2", "ba2", "bc2"])
      network.heal(["a"], from: ["b"])
      received.value = []
      await send(3)
      #expect(received.value.sorted() == ["ab3", "ac3", "ba3", "bc3"])
      received.value = []
      network.isolate("b")
      await send(4)
      #expect(received.value == ["ac4"])
    }
  }

  // MARK: Choices

  @Test("The schedule chooses the faults of a simulated network, and a replay repeats them")
  func faultsAreChoices() async throws {
    let outcomes = Note<[[Int]]>([])
    let body: @Sendable (Simulation) async throws -> Void = { simulation in
      let network = Network(NetworkConditions(loss: 0.5, duplication: 0.01))
      let received = try await exchange(2, network, simulation)
      outcomes.change { $0.append(received) }
      if received == [1, 1] { throw Failure("the first lost, the second twice") }
    }
    await #expect(throws: SimulationFailure.self) { try await explore(.exhaustive(), body) }
    outcomes.value = []
    let failure = try await #require(
      throws: SimulationFailure.self, performing: { try await explore(.seeds(20_000), body) })
    let schedule = try #require(failure.schedule)
    #expect(schedule.description.contains("f1/2"))
    #expect(Schedule(schedule.description) == schedule)
    #expect(schedule.switchCount == 2, "one loss, one duplication")
    #expect(failure.description.contains("a to b: 0, lost"))
    outcomes.value = []
    await #expect(throws: SimulationFailure.self) { try await explore(.replay(schedule.description), body) }
    #expect(Set(outcomes.value) == [[1, 1]])
  }

  @Test("A simulated network is reliable under the fair schedule of `eventually`")
  func fairness() async throws {
    try await explore(.seeds(50)) { simulation in
      let network = Network(NetworkConditions(latency: .milliseconds(1) ... .seconds(1), loss: 0.9))
      let a = network.host("a")
      let received = Note(0)
      network.host("b") { host in for await _ in host.messages { received.change { $0 += 1 } } }
      a.task {
        while true {
          a.send(1, to: "b")
          try await a.clock.sleep(for: .seconds(1))
        }
      }
      try await simulation.eventually(within: .seconds(5)) { received.value > 0 }
    }
  }

  @Test("A simulated network tells what happened")
  func events() async throws {
    try await simulate { simulation in
      let network = Network(NetworkConditions(latency: .milliseconds(5) ... .milliseconds(5)))
      let (a, _) = (network.host("a"), network.host("b"))
      a.send(1, to: "b")
      await simulation.clock.advance(by: .milliseconds(5))
      network.partition(["a"], from: ["b"])
      a.send(2, to: "b")
      network.heal()
      a.note("gives up")
      network.crash("b")
      a.send(3, to: "b")
      await simulation.clock.advance(by: .milliseconds(5))
      #expect(
        network.events.map { "\($0.time): \($0)" } == [
          "0.0 seconds: a started", "0.0 seconds: b started", "0.0 seconds: a to b: 1, sent",
          "0.005 seconds: a to b: 1, delivered", "0.005 seconds: partitioned: a and b",
          "0.005 seconds: a to b: 2, sent", "0.005 seconds: a to b: 2, lost (partition)",
          "0.005 seconds: healed: all links", "0.005 seconds: a: gives up", "0.005 seconds: b crashed",
          "0.005 seconds: a to b: 3, sent", "0.01 seconds: a to b: 3, lost (b is down)",
        ])
      #expect(network.events.compactMap(\.number) == [1, 1, 2, 2, 3, 3])
    }
  }

  private func exchange(_ count: Int, seed: UInt64, _ conditions: NetworkConditions) async throws -> [Int] {
    try await simulate(seed: seed) { simulation in
      try await exchange(count, Network(conditions), simulation)
    }
  }

  /// Has one host send numbers to another one.
  ///
  /// - Returns: what has arrived.
  private func exchange(_ count: Int, _ network: Network, _ simulation: Simulation) async throws -> [Int] {
    let received = Note<[Int]>([])
    let sender = network.host("a")
    network.host("b") { host in
      for await envelope in host.messages { received.change { $0.append(envelope.message) } }
    }
    for number in 0..<count { sender.send(number, to: "b") }
    await simulation.clock.advance(by: .seconds(1))
    return received.value
  }
}
