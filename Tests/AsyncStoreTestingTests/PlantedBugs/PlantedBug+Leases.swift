import AsyncStore
import AsyncStoreTesting

extension PlantedBug {
  /// Bugs in leases that hosts hold for a time.
  static let leases = [
    PlantedBug(name: "lease renewal: as late as the lease lasts", symptom: "two holders") { simulation, hasBug in
      let network = SimulatedNetwork<LeaseMessage>()
      network.host("server", LeaseServer().run)
      let holders = Note<Set<String>>([])
      for name in ["a", "b"] {
        network.host(name) { host in
          host.task {
            for await envelope in host.messages {
              guard case .granted = envelope.message else {
                holders.change { $0.remove(name) }
                continue
              }
              if holders.value.contains(where: { $0 != name }) { throw Failure("two holders") }
              holders.change { $0.insert(name) }
            }
          }
          while true {
            host.send(.acquire(sent: host.clock.now), to: "server")
            try await host.clock.sleep(for: hasBug ? .seconds(10) : .seconds(4))
          }
        }
      }
      await simulation.clock.advance(by: .seconds(60))
    },
    PlantedBug(name: "leader: its lease counts from the reply", symptom: "two leaders") { simulation, hasBug in
      try await leaders(simulation, drifts: [0, 0]) { sent, reply in
        (hasBug ? reply : sent).advanced(by: .seconds(10))
      }
    },
    PlantedBug(name: "leader: its clock may be slow", symptom: "two leaders") { simulation, hasBug in
      let drift = simulation.choose(among: [0, -0.02, 0.02])
      try await leaders(simulation, drifts: [drift, -drift]) { sent, _ in
        sent.advanced(by: hasBug ? .seconds(10) : .milliseconds(9_700))
      }
    },
    PlantedBug(name: "distributed lock: the storage does not fence", symptom: "after token") { simulation, hasBug in
      struct Write: Sendable { let token: Int }
      let network = SimulatedNetwork<Write>(
        NetworkConditions(latency: .milliseconds(1) ... .seconds(20), reordering: 1))
      network.host("storage") { host in
        var last = 0
        for await envelope in host.messages {
          let token = envelope.message.token
          if token < last, !hasBug { continue }
          if token < last { throw Failure("a write with token \(token) after token \(last)") }
          last = token
        }
      }
      for (token, name) in zip(1..., ["a", "b"]) {
        network.host(name) { host in
          try await host.clock.sleep(for: .seconds(10 * (token - 1)))
          host.send(Write(token: token), to: "storage")
        }
      }
      await simulation.clock.advance(by: .seconds(60))
    },
    PlantedBug(name: "failure detector: a host that comes back stays suspected", symptom: "Liveness") {
      simulation, hasBug in
      let network = SimulatedNetwork<Int>()
      let isSuspected = Note(false)
      network.host("detector") { host in
        let last = Note(host.clock.now)
        host.task {
          for await _ in host.messages {
            last.value = host.clock.now
            if !hasBug { isSuspected.value = false }
          }
        }
        while true {
          try await host.clock.sleep(for: .seconds(1))
          if last.value.duration(to: host.clock.now) > .seconds(3) { isSuspected.value = true }
        }
      }
      network.host("node") { host in
        while true {
          host.send(1, to: "detector")
          try await host.clock.sleep(for: .seconds(1))
        }
      }
      await simulation.clock.advance(by: .seconds(2))
      network.isolate("node")
      await simulation.clock.advance(by: .seconds(simulation.choose(among: [1, 2, 3, 5])))
      network.heal()
      await simulation.clock.advance(by: .seconds(2))
      try await simulation.eventually(within: .seconds(20)) { !isSuspected.value }
    },
  ]

  /// Runs two hosts that want to lead.
  ///
  /// Each leads as long as it believes that it has the lease.
  ///
  /// - Parameter end: the end of a lease on its holder's clock, from the times of the request and the reply.
  private static func leaders(
    _ simulation: Simulation, drifts: [Double],
    end: @escaping @Sendable (_ sent: HostClock.Instant, _ reply: HostClock.Instant) -> HostClock.Instant
  ) async throws {
    let network = SimulatedNetwork<LeaseMessage>(NetworkConditions(latency: .milliseconds(10) ... .milliseconds(500)))
    network.host("server", LeaseServer().run)
    let names = ["a", "b"]
    let ends = Note<[String: HostClock.Instant]>([:])
    for (name, drift) in zip(names, drifts) {
      network.host(name, clock: ClockSkew(drift: drift)) { host in
        host.task {
          for await envelope in host.messages {
            guard case .granted(let sent) = envelope.message else { continue }
            ends.change { $0[name] = end(sent, host.clock.now) }
            host.note("leads")
            let leaders = names.filter { name in
              guard let clock = network[name]?.clock, let end = ends.value[name] else { return false }
              return clock.now < end
            }
            if leaders.count > 1 { throw Failure("two leaders") }
          }
        }
        // The host sometimes lets the lease end.
        while true {
          host.send(.acquire(sent: host.clock.now), to: "server")
          try await host.clock.sleep(for: .seconds(simulation.choose(among: [4, 10])))
        }
      }
    }
    await simulation.clock.advance(by: .seconds(60))
  }
}

private enum LeaseMessage: Sendable {
  /// A request with the time on the sender's clock, which returns with the answer.
  case acquire(sent: HostClock.Instant)
  case granted(sent: HostClock.Instant)
  case refused
}

/// Grants a lease of ten seconds to one host at a time.
private struct LeaseServer: Sendable {
  func run(_ host: SimulatedNetwork<LeaseMessage>.Host) async throws {
    var holder: String?
    var end = host.clock.now
    for await envelope in host.messages {
      guard case .acquire(let sent) = envelope.message else { continue }
      if holder == nil || holder == envelope.sender || host.clock.now >= end {
        holder = envelope.sender
        end = host.clock.now.advanced(by: .seconds(10))
        host.send(.granted(sent: sent), to: envelope.sender)
      } else {
        host.send(.refused, to: envelope.sender)
      }
    }
  }
}
