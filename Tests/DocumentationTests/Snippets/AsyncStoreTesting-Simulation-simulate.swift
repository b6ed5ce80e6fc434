// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Simulation/simulate.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Simulation/simulate.swift")
struct AsyncStoreTestingSimulationsimulateSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of simulate.swift yields what its comments say") func snippet1() async throws {
    let count = try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      await store.run(.concatenate(.sleep(.seconds(3_600)), .set(\.count, to: 1)))
      return store.count
    }
    #expect(count == 1)
  }
}
