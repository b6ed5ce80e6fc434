// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Middleware/ActionReaders.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Middleware/ActionReaders.swift")
struct AsyncStoreActionsMiddlewareActionReadersSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ActionReaders.swift yields what its comments say") func snippet1() async {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    var actions = tally.actions.makeAsyncIterator()
    tally.send(.add(3))
    let action = await actions.next()
    #expect(action == .add(3))
  }
}
