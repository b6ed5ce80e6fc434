// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/AsyncStoreTesting.docc/TestingDistributedPrograms.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

enum LeaseMessage: Sendable { case request(at: HostClock.Instant), grant(at: HostClock.Instant) }

typealias Cluster = SimulatedNetwork<LeaseMessage>

func serveLeases(_ host: Cluster.Host) async {
  var (holder, end) = ("", host.clock.now)
  for await envelope in host.messages where envelope.sender == holder || host.clock.now >= end {
    guard case .request(let time) = envelope.message else { continue }
    holder = envelope.sender
    end = host.clock.now.advanced(by: .seconds(10))
    host.send(.grant(at: time), to: holder)
  }
}

struct Candidate: Sendable {
  var isLeader = false
}

func stand(_ host: Cluster.Host, term: @escaping @Sendable (Duration) -> Duration) -> AsyncStore<Candidate, Void> {
  let store = host.store(Candidate(), env: ())
  host.task {
    while true {
      host.send(.request(at: host.clock.now), to: "leases")
      try await host.clock.sleep(for: .seconds(5))
    }
  }
  host.task {
    for await envelope in host.messages {
      guard case .grant(let time) = envelope.message else { continue }
      host.note("leads")
      let resign = AsyncStore<Candidate, Void>.Effect.task {
        host.note("resigns")
        return .set(\.isLeader, to: false)
      }
      let lease = term(time.duration(to: host.clock.now))
      store.receive(.concatenate(.set(\.isLeader, to: true), .sleep(lease), resign).id("lease"))
    }
  }
  return store
}

struct TwoLeaders: Error {}

func elect(
  on network: Cluster, in simulation: Simulation, drifts: [Double] = [0],
  term: @escaping @Sendable (Duration) -> Duration
) async throws {
  network.host("leases", serveLeases)
  let candidates = ["a", "b"].map { name in
    let clock = ClockSkew(drift: simulation.choose(among: drifts))
    return stand(network.host(name, clock: clock), term: term)
  }
  let cut = simulation.choose(among: [300, 10, 50, 90])
  for step in 0..<300 {
    if step == cut { network.isolate("a") }
    await simulation.clock.advance(by: .milliseconds(100))
    if candidates.allSatisfy({ $0.isLeader }) { throw TwoLeaders() }
  }
}

extension NetworkConditions {
  static let slow = NetworkConditions(latency: .milliseconds(10) ... .milliseconds(400))
}

@Suite("Snippets of Sources/AsyncStoreTesting/AsyncStoreTesting.docc/TestingDistributedPrograms.md")
struct AsyncStoreTestingAsyncStoreTestingTestingDistributedProgramsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 4 of TestingDistributedPrograms.md yields what its comments say") func snippet4() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await explore(.seeds(1_000)) { simulation in
        try await elect(on: Cluster(.slow), in: simulation) { _ in .seconds(10) }
      }
    }
    #expect(failure?.description.contains("TwoLeaders()") == true)
  }

  @Test("Snippet 5 of TestingDistributedPrograms.md yields what its comments say") func snippet5() async throws {
    let report = try await explore(.seeds(200)) { simulation in
      try await elect(on: Cluster(.slow), in: simulation) { answer in .seconds(10) - answer }
    }
    #expect(report.description == "200 schedules pass")
  }

  @Test("Snippet 6 of TestingDistributedPrograms.md yields what its comments say") func snippet6() async throws {
    let drifts = [0, -0.05]
    let failure = await #expect(throws: SimulationFailure.self) {
      try await explore(.seeds(400)) { simulation in
        try await elect(on: Cluster(.slow), in: simulation, drifts: drifts) { answer in .seconds(10) - answer }
      }
    }
    #expect(failure?.description.contains("TwoLeaders()") == true)

    let report = try await explore(.seeds(400)) { simulation in
      try await elect(on: Cluster(.slow), in: simulation, drifts: drifts) { answer in .seconds(9.4) - answer }
    }
    #expect(report.description == "400 schedules pass")
  }

  @Test("Snippet 7 of TestingDistributedPrograms.md yields what its comments say") func snippet7() async throws {
    let report = try await explore(.seeds(200)) { simulation in
      let network = SimulatedNetwork<String>(NetworkConditions(latency: .milliseconds(1) ... .milliseconds(9)))
      network.host("counter") { host in
        for await _ in host.messages {
          host.storage.write((host.storage.read("count") ?? 0) + 1, to: "count")
          try await host.storage.sync()
        }
      }
      let client = network.host("client")
      for _ in 0..<3 {
        client.send("increment", to: "counter")
        await simulation.clock.advance(by: .milliseconds(20))
        if simulation.happens(withProbability: 0.2) { network.restart("counter") }
      }
      #expect(network["counter"]?.storage.read("count", as: Int.self) == 3)
    }
    #expect(report.scheduleCount == 200)
  }
}
