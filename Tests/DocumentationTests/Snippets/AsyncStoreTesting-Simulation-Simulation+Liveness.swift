// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Simulation/Simulation+Liveness.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Simulation/Simulation+Liveness.swift")
struct AsyncStoreTestingSimulationSimulationLivenessSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Simulation+Liveness.swift yields what its comments say") func snippet1() async throws {
    try await simulate(seed: 1) { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.concatenate(.sleep(.seconds(60)), .set(\.count, to: 1)))
      try await simulation.eventually { store.count == 1 }
      #expect(simulation.clock.now.offset == .seconds(60))
    }
  }
}
