// swift-format-ignore-file
// Made from Sources/AsyncStore/Store/AsyncStore+Updating.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Store/AsyncStore+Updating.swift")
struct AsyncStoreStoreAsyncStoreUpdatingSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStore+Updating.swift yields what its comments say") func snippet1() {
    let ticket = store.update { state in
      state.count += 1
      return state.count
    }
    #expect(ticket == 1)
  }
}
