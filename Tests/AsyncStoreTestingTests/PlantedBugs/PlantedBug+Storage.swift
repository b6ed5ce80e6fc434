import AsyncStore
import AsyncStoreTesting

extension PlantedBug {
  /// Bugs in the storage of one host or of several.
  static let storage = [
    PlantedBug(name: "log: truncated before the snapshot is synced", symptom: "the data is gone") {
      simulation, hasBug in
      let network = SimulatedNetwork<Int>()
      let isCommitted = Note(false)
      network.host("database") { host in
        let storage = host.storage
        if storage.read("log", as: [Int].self) != nil || storage.read("snapshot", as: Int.self) != nil { return }
        if isCommitted.value { throw Failure("the data is gone") }
        storage.write([1, 2], to: "log")
        try await storage.sync()
        isCommitted.value = true
        storage.write(3, to: "snapshot")
        if !hasBug { try await storage.sync() }
        storage.remove("log")
        try await storage.sync()
      }
      await restart("database", of: network, in: simulation)
    },
    PlantedBug(name: "sequence numbers: given out before they are synced", symptom: "given out twice") {
      simulation, hasBug in
      let network = SimulatedNetwork<Int>()
      let numbers = Note<[Int]>([])
      network.host("sequencer") { host in
        for _ in 0..<3 {
          let number = host.storage.read("next", as: Int.self) ?? 0
          host.storage.write(number + 1, to: "next")
          if hasBug { await switchPoint() } else { try await host.storage.sync() }
          guard host.isUp else { return }
          if numbers.value.contains(number) { throw Failure("\(number) was given out twice") }
          numbers.change { $0.append(number) }
        }
      }
      await restart("sequencer", of: network, in: simulation)
    },
    PlantedBug(name: "two-phase commit: prepared, and not stored", symptom: "does not know it") { simulation, hasBug in
      enum Phase: Sendable { case prepare, prepared }
      let network = SimulatedNetwork<Phase>(NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9)))
      let isCommitted = Note(false)
      for name in ["a", "b"] {
        network.host(name) { host in
          for await envelope in host.messages {
            host.storage.write(true, to: "prepared")
            if !hasBug { try await host.storage.sync() }
            host.send(.prepared, to: envelope.sender)
          }
        }
      }
      network.host("coordinator") { host in
        host.broadcast(.prepare)
        var prepared: Set<String> = []
        for await envelope in host.messages {
          prepared.insert(envelope.sender)
          if prepared.count == 2 { isCommitted.value = true }
        }
      }
      await simulation.clock.advance(by: .milliseconds(simulation.choose(among: [30, 5, 10])))
      if simulation.happens(withProbability: 0.2) { network.restart("a") }
      await simulation.clock.advance(by: .seconds(1))
      if isCommitted.value, network["a"]?.storage.read("prepared", as: Bool.self) == nil {
        throw Failure("committed, and a does not know it")
      }
    },
    PlantedBug(name: "primary and backup: acknowledged before the backup has it", symptom: "is lost") {
      simulation, hasBug in
      enum Request: Sendable { case write(Int), copied(Int), acknowledged }
      let network = SimulatedNetwork<Request>(
        NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9), loss: 0.1))
      let copy = Note<Int?>(nil)
      let isAcknowledged = Note(false)
      network.host("primary") { host in
        for await envelope in host.messages {
          if case .write(let value) = envelope.message {
            host.send(.write(value), to: "backup")
            if hasBug { host.send(.acknowledged, to: "client") }
          } else if case .copied = envelope.message, !hasBug {
            host.send(.acknowledged, to: "client")
          }
        }
      }
      network.host("backup") { host in
        for await envelope in host.messages {
          guard case .write(let value) = envelope.message else { continue }
          copy.value = value
          host.send(.copied(value), to: "primary")
        }
      }
      network.host("client") { host in
        host.send(.write(5), to: "primary")
        for await _ in host.messages { isAcknowledged.value = true }
      }
      await simulation.clock.advance(by: .milliseconds(50))
      network.crash("primary")
      if isAcknowledged.value, copy.value == nil { throw Failure("an acknowledged write is lost") }
    },
    PlantedBug(name: "quorum: reads and writes don't overlap", symptom: "a stale read") { simulation, hasBug in
      enum Request: Sendable { case write, written, read, value(Int) }
      let network = SimulatedNetwork<Request>(NetworkConditions(latency: .milliseconds(1) ... .milliseconds(20)))
      let isWritten = Note(false)
      for name in ["a", "b", "c"] {
        network.host(name) { host in
          var value = 0
          for await envelope in host.messages {
            if case .write = envelope.message {
              value = 1
              host.send(.written, to: envelope.sender)
            } else {
              host.send(.value(value), to: envelope.sender)
            }
          }
        }
      }
      network.host("writer") { host in
        for replica in ["a", "b", "c"] { host.send(.write, to: replica) }
        var count = 0
        for await _ in host.messages {
          count += 1
          if count == (hasBug ? 1 : 2) { isWritten.value = true }
        }
      }
      network.host("reader") { host in
        while !isWritten.value { try await host.clock.sleep(for: .milliseconds(1)) }
        for replica in ["a", "b", "c"] { host.send(.read, to: replica) }
        var values: [Int] = []
        for await envelope in host.messages {
          if case .value(let value) = envelope.message { values.append(value) }
          if values.count == 2, values.max() == 0 { throw Failure("a stale read") }
        }
      }
      await simulation.clock.advance(by: .seconds(1))
    },
  ]

  /// Restarts a host if and when the schedule decides so.
  private static func restart(_ name: String, of network: SimulatedNetwork<Int>, in simulation: Simulation) async {
    for _ in 0..<10 {
      if simulation.happens(withProbability: 0.1) {
        network.restart(name)
        break
      }
      await switchPoint()
    }
    await simulation.settle()
  }
}
