// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Simulation/Simulation+Foundation.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Simulation/Simulation+Foundation.swift")
struct AsyncStoreTestingSimulationSimulationFoundationSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Simulation+Foundation.swift yields what its comments say") func snippet1() async throws {
    let first = try await simulate(seed: 7) { simulation in simulation.random.uuid() }
    let again = try await simulate(seed: 7) { simulation in simulation.random.uuid() }
    #expect(first == again)
  }
}
