// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/AsyncStoreTesting.docc/AsyncStoreTesting.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/AsyncStoreTesting.docc/AsyncStoreTesting.md")
struct AsyncStoreTestingAsyncStoreTestingAsyncStoreTestingSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStoreTesting.md yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.timer(.seconds(1), id: "clock") { _ in .set { $0.count += 1 } })
      await simulation.clock.advance(by: .seconds(3_600))
      store.receive(.cancel("clock"))
      #expect(store.count == 3_600)
    }
  }
}
