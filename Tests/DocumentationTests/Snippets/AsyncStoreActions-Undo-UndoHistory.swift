// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Undo/UndoHistory.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Undo/UndoHistory.swift")
struct AsyncStoreActionsUndoUndoHistorySnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of UndoHistory.swift yields what its comments say") func snippet1() {
    let history = store.undoHistory(of: \.items)
    store.receive(.append("one", to: \.items))
    history.group {
      store.receive(.append("two", to: \.items))
      store.receive(.append("three", to: \.items))
    }
    history.undo()
    #expect(store.items == ["one"])
    history.redo()
    #expect(store.items == ["one", "two", "three"])
  }
}
