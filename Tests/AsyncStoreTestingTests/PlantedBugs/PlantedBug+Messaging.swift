import AsyncStore
import AsyncStoreTesting

extension PlantedBug {
  /// Bugs in the messages between hosts.
  static let messaging = [
    PlantedBug(name: "outbox relay: an event counts as sent before it is delivered", symptom: "never arrived") {
      simulation, hasBug in
      let network = SimulatedNetwork<String>(
        NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9), loss: 0.1))
      let arrived = Note(false)
      network.host("relay") { host in
        if host.storage.read("sent", as: Bool.self) == true { return }
        if hasBug {
          host.storage.write(true, to: "sent")
          try await host.storage.sync()
        }
        host.task {
          for await _ in host.messages {
            host.storage.write(true, to: "sent")
            try await host.storage.sync()
          }
        }
        while host.storage.read("sent", as: Bool.self) != true || hasBug {
          host.send("event", to: "consumer")
          try await host.clock.sleep(for: .milliseconds(50))
        }
      }
      network.host("consumer") { host in
        for await envelope in host.messages {
          arrived.value = true
          host.send("received", to: envelope.sender)
        }
      }
      await crash("relay", of: network, in: simulation)
      if !arrived.value { throw Failure("the event never arrived") }
    },
    PlantedBug(name: "outbox: the order and its event are stored one after the other", symptom: "without its event") {
      simulation, hasBug in
      let network = SimulatedNetwork<String>()
      network.host("shop") { host in
        guard host.storage.read("order", as: [String].self) == nil else { return }
        host.storage.write(hasBug ? [] : ["event"], to: "order")
        try await host.storage.sync()
        if hasBug { host.storage.write(["event"], to: "order") }
        try await host.storage.sync()
      }
      await crash("shop", of: network, in: simulation)
      if network["shop"]?.storage.read("order", as: [String].self) == [] { throw Failure("an order without its event") }
    },
    PlantedBug(name: "idempotent consumer: the message is noted after it was handled", symptom: "charged 2 times") {
      simulation, hasBug in
      let network = SimulatedNetwork<Int>(
        NetworkConditions(latency: .milliseconds(1) ... .milliseconds(40), duplication: 0.1, reordering: 1))
      let charges = Note(0)
      network.host("bank") { host in
        let seen = Note<Set<Int>>([])
        for await envelope in host.messages {
          host.task {
            if seen.value.contains(envelope.message) { return }
            if !hasBug { seen.change { $0.insert(envelope.message) } }
            try await host.clock.sleep(for: .milliseconds(15))
            charges.change { $0 += 1 }
            seen.change { $0.insert(envelope.message) }
          }
        }
      }
      network.host("shop").send(7, to: "bank")
      await simulation.clock.advance(by: .seconds(1))
      if charges.value > 1 { throw Failure("charged \(charges.value) times") }
    },
    PlantedBug(name: "retry: the server does not know a request again", symptom: "transferred 2 times") {
      simulation, hasBug in
      let network = SimulatedNetwork<Int>(NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9), loss: 0.1))
      let transfers = Note(0)
      network.host("bank") { host in
        var done: Set<Int> = []
        for await envelope in host.messages {
          let isNew = done.insert(envelope.message).inserted
          if isNew || hasBug { transfers.change { $0 += 1 } }
          host.send(envelope.message, to: envelope.sender)
        }
      }
      network.host("client") { host in
        let isAnswered = Note(false)
        host.task { for await _ in host.messages { isAnswered.value = true } }
        for _ in 0..<5 where !isAnswered.value {
          host.send(1, to: "bank")
          try await host.clock.sleep(for: .milliseconds(30))
        }
      }
      await simulation.clock.advance(by: .seconds(1))
      if transfers.value > 1 { throw Failure("transferred \(transfers.value) times") }
    },
    PlantedBug(name: "request and reply: any reply is taken for the present request's", symptom: "was answered with") {
      simulation, hasBug in
      let network = SimulatedNetwork<Int>(
        NetworkConditions(latency: .milliseconds(1) ... .milliseconds(25), reordering: 1))
      network.host("echo") { host in
        for await envelope in host.messages { host.send(envelope.message, to: envelope.sender) }
      }
      network.host("client") { host in
        let expected = Note<Int?>(nil)
        host.task {
          for await envelope in host.messages {
            guard let number = expected.value, hasBug || envelope.message == number else { continue }
            if envelope.message != number { throw Failure("request \(number) was answered with \(envelope.message)") }
            expected.value = nil
          }
        }
        for number in 0..<3 {
          expected.value = number
          host.send(number, to: "echo")
          try await host.clock.sleep(for: .milliseconds(45))
        }
      }
      await simulation.clock.advance(by: .seconds(1))
    },
    PlantedBug(name: "replicas: the last message to arrive wins", symptom: "the replicas differ") {
      simulation, hasBug in
      struct Write: Sendable { let version: Int, value: String }
      let network = SimulatedNetwork<Write>(
        NetworkConditions(latency: .milliseconds(1) ... .milliseconds(20), reordering: 0.2))
      let values = ["a", "b"].map { _ in Note(Write(version: 0, value: "")) }
      for (name, value) in zip(["a", "b"], values) {
        network.host(name) { host in
          for await envelope in host.messages where hasBug || envelope.message.version > value.value.version {
            value.value = envelope.message
          }
        }
      }
      let writer = network.host("writer")
      for version in 1...3 {
        writer.broadcast(Write(version: version, value: "v\(version)"))
        await simulation.clock.advance(by: .milliseconds(8))
      }
      await simulation.clock.advance(by: .seconds(1))
      if values[0].value.value != values[1].value.value { throw Failure("the replicas differ") }
    },
  ]

  /// Crashes a host and restarts it, if and when the schedule decides so.
  private static func crash(_ name: String, of network: SimulatedNetwork<String>, in simulation: Simulation) async {
    for _ in 0..<10 {
      if simulation.happens(withProbability: 0.1) {
        network.restart(name)
        break
      }
      await switchPoint()
    }
    await simulation.clock.advance(by: .seconds(1))
  }
}
