// swift-format-ignore-file
// Made from Sources/AsyncStore/Store/AsyncStore.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Store/AsyncStore.swift")
struct AsyncStoreStoreAsyncStoreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStore.swift yields what its comments say") func snippet1() {
    struct Counter: Sendable { var count = 0 }
    let store = AsyncStore(state: Counter(), env: ())
    store.receive(.set(\.count, to: 3))
    #expect(store.count == 3)
  }
}
