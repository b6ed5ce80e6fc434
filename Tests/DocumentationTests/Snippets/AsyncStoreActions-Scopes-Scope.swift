// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Scopes/Scope.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Scopes/Scope.swift")
struct AsyncStoreActionsScopesScopeSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Scope.swift yields what its comments say") func snippet1() {
    let page = StoreOf<Page>(state: Page(), env: ())
    let tally = page.scope(\.tally, actions: Page.Action.tally)
    tally.send(.add(2))
    #expect(tally.count == 2)
    #expect(page.tally.count == 2)
  }
}
