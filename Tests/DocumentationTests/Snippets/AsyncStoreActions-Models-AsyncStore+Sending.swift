// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Models/AsyncStore+Sending.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Models/AsyncStore+Sending.swift")
struct AsyncStoreActionsModelsAsyncStoreSendingSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStore+Sending.swift yields what its comments say") func snippet1() {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.send(.increment)
    #expect(tally.count == 1)
  }
}
