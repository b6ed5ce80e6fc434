// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Faults/Simulation+Choices.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Faults/Simulation+Choices.swift")
struct AsyncStoreTestingFaultsSimulationChoicesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Simulation+Choices.swift yields what its comments say") func snippet1() async throws {
    let report = try await explore(.exhaustive()) { simulation in
      let service = simulation.happens(withProbability: 0.1) ? "down" : "up"
      #expect(["up", "down"].contains(service))
    }
    #expect(report.scheduleCount == 2)
  }
}
