// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Parts/Part.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Parts/Part.swift")
struct AsyncStoreActionsPartsPartSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Part.swift yields what its comments say") func snippet1() {
    struct Shelf: Sendable { var books: [String: Int] = ["Emma": 2], lamp: Bool? = nil }
    var shelf = Shelf()
    Part(\Shelf.books, key: "Emma").modify(&shelf) { $0 += 1 }
    Part(\Shelf.books, key: "Ulysses").modify(&shelf) { $0 += 1 }
    Part(optional: \Shelf.lamp).modify(&shelf) { $0.toggle() }
    #expect(shelf.books == ["Emma": 3])
    #expect(shelf.lamp == nil)
  }
}
