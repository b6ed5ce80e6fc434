// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Children/ChildStore.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Children/ChildStore.swift")
struct AsyncStoreActionsChildrenChildStoreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ChildStore.swift yields what its comments say") func snippet1() {
    let items = store.child(\.items)
    items.receive(.append("one", to: \.self))
    store.receive(.append("two", to: \.items))
    #expect(items.state == ["one", "two"])
    #expect(items.ancestor(of: Counter.self)?.count == 0)
  }
}
