import AsyncStore
import AsyncStoreTesting

extension PlantedBug {
  /// Bugs in elections of one host by the others.
  static let elections = [
    PlantedBug(name: "vote: sent before it is stored", symptom: "two leaders") { simulation, hasBug in
      let network = SimulatedNetwork<Ballot>(NetworkConditions(latency: .milliseconds(1) ... .milliseconds(5)))
      let leaders = Note<[String]>()
      network.host("voter") { host in
        for await envelope in host.messages {
          let vote = host.storage.read("vote", as: String.self) ?? envelope.sender
          guard vote == envelope.sender else { continue }
          host.storage.write(vote, to: "vote")
          if !hasBug { try await host.storage.sync() }
          host.send(.granted, to: vote)
        }
      }
      for (name, delay) in [("a", 0), ("b", 20)] {
        network.host(name) { host in
          try await host.clock.sleep(for: .milliseconds(delay))
          host.send(.request, to: "voter")
          for await _ in host.messages {
            leaders.add(name)
            if leaders.value.count > 1 { throw Failure("two leaders") }
          }
        }
      }
      await simulation.clock.advance(by: .milliseconds(15))
      if simulation.happens(withProbability: 0.2) { network.restart("voter") }
      await simulation.clock.advance(by: .seconds(1))
    },
    PlantedBug(name: "vote: counted again when it arrives again", symptom: "two leaders") { simulation, hasBug in
      let network = SimulatedNetwork<Ballot>(
        NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9), duplication: 0.1))
      let leaders = Note<Set<String>>([])
      for name in ["c", "d", "e"] { network.host(name, vote) }
      for name in ["a", "b"] {
        network.host(name) { host in
          host.broadcast(.request)
          var votes = [name]
          for await envelope in host.messages {
            guard case .granted = envelope.message, hasBug || !votes.contains(envelope.sender) else { continue }
            votes.append(envelope.sender)
            guard votes.count >= 3 else { continue }
            leaders.change { $0.insert(name) }
            if leaders.value.count > 1 { throw Failure("two leaders") }
          }
        }
      }
      await simulation.clock.advance(by: .seconds(1))
    },
    PlantedBug(name: "vote: a majority of the answers and not of the hosts", symptom: "two leaders") {
      simulation, hasBug in
      let network = SimulatedNetwork<Ballot>(NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9)))
      let leaders = Note<Set<String>>([])
      for name in ["c", "d", "e"] { network.host(name, vote) }
      for name in ["a", "b"] {
        network.host(name) { host in
          try await host.clock.sleep(for: .milliseconds(1))
          host.broadcast(.request)
          let answers = Note<[String: Bool]>([name: true])
          host.task {
            for await envelope in host.messages {
              if case .granted = envelope.message { answers.change { $0[envelope.sender] = true } }
              if case .refused = envelope.message { answers.change { $0[envelope.sender] = false } }
            }
          }
          try await host.clock.sleep(for: .milliseconds(50))
          let count = answers.value.values.count { $0 }
          guard count * 2 > (hasBug ? answers.value.count : 5) else { return }
          leaders.change { $0.insert(name) }
          if leaders.value.count > 1 { throw Failure("two leaders") }
        }
      }
      if simulation.happens(withProbability: 0.2) { network.partition(["a", "c"], from: ["b", "d", "e"]) }
      await simulation.clock.advance(by: .seconds(1))
    },
  ]

  /// Votes for the host that asks first.
  private static func vote(_ host: SimulatedNetwork<Ballot>.Host) async throws {
    var vote: String?
    for await envelope in host.messages {
      vote = vote ?? envelope.sender
      host.send(vote == envelope.sender ? .granted : .refused, to: envelope.sender)
    }
  }
}

private enum Ballot: Sendable { case request, granted, refused }
