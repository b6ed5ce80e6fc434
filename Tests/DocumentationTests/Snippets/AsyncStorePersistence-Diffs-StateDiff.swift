// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/Diffs/StateDiff.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/Diffs/StateDiff.swift")
struct AsyncStorePersistenceDiffsStateDiffSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of StateDiff.swift yields what its comments say") func snippet1() throws {
    struct Shelf: Codable, Sendable { var label = "Foo", note: String? = "Bar", rows = [1, 2] }
    let diff = try StateDiff(from: Shelf(), to: Shelf(label: "New", note: nil, rows: [1, 3, 4]))
    #expect(diff.changes["label"] == .changed(old: "Foo", new: "New"))
    #expect(diff.changes["note"] == .removed(old: "Bar"))
    #expect(diff.changes["rows/2"] == .added(new: 4))
    #expect(diff.change(of: \.label).isChanged == true)
  }
}
