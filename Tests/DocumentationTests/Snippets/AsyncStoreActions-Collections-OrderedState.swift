// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Collections/OrderedState.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Collections/OrderedState.swift")
struct AsyncStoreActionsCollectionsOrderedStateSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of OrderedState.swift yields what its comments say") func snippet1() {
    struct Chore: Identifiable, Sendable { let id: String; var isDone = false }
    var tasks: OrderedState<Chore> = [Chore(id: "a"), Chore(id: "b"), Chore(id: "c")]
    tasks.move(from: [0], to: 3)
    tasks[id: "b"]?.isDone = true
    tasks.remove(id: "c")
    #expect(tasks.map(\.id) == ["b", "a"])
    #expect(tasks[0].isDone == true)
  }
}
