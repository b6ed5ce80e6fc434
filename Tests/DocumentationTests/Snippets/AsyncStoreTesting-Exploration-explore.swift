// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Exploration/explore.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Exploration/explore.swift")
struct AsyncStoreTestingExplorationexploreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of explore.swift yields what its comments say") func snippet1() async throws {
    let report = try await explore(.exhaustive()) { simulation in
      let store = simulation.store(Counter(), env: service)
      await store.run(.merge(.task { .set { $0.count += 1 } }, .task { .set { $0.count += 1 } }))
      #expect(store.count == 2)
    }
    #expect(report.description == "all 2 schedules pass")
  }
}
