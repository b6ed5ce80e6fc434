import AsyncStoreTesting
import Testing

@Suite("Misuse of a simulated network")
struct NetworkMisuseTests {
  typealias Network = SimulatedNetwork<Int>

  @Test("Misuse of a simulated network traps, and says why")
  func misuse() async throws {
    let latency = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NetworkConditions(latency: .milliseconds(-1) ... .zero)
    }
    #expect(words(latency).contains("A latency can't be negative, and this is -0.001 seconds."))
    let loss = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NetworkConditions(loss: 1.5)
    }
    #expect(words(loss).contains("A probability is from 0 to 1, and the loss is 1.5."))
    let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Network()
    }
    #expect(words(outside).contains("A network is part of a simulation: create it in the body of `simulate`"))
    let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ in
        let network = Network()
        network.host("b")
        network.host("a").send(1, to: "c")
      }
    }
    #expect(words(unknown).contains("There is no host \"c\" in this network; its hosts are \"b\", \"a\"."))
    let isolated = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ in Network().isolate("c") }
    }
    #expect(words(isolated).contains("There is no host \"c\" in this network; its hosts are none."))
    let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ in
        let network = Network()
        network.host("a")
        network.host("a")
      }
    }
    #expect(words(twice).contains("A host named \"a\" already exists in this network."))
    let drift = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ClockSkew(drift: -1)
    }
    #expect(words(drift).contains("A clock's drift is more than -1 and at most 1, not -1.0."))
    let type = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await simulate { _ in
        let host = Network().host("a")
        host.storage.write(1, to: "term")
        _ = host.storage.read("term", as: String.self)
      }
    }
    #expect(words(type).contains("The value of \"term\" in the host's storage has the type Int, not String."))
  }

  private func words(_ result: ExitTest.Result?) -> String {
    result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
  }
}
