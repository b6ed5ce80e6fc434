// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/Snapshots/Migration.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/Snapshots/Migration.swift")
struct AsyncStorePersistenceSnapshotsMigrationSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Migration.swift yields what its comments say") func snippet1() {
    struct Old: Codable { var name = "" }
    struct New: Codable { var first = "", last = "" }
    let split = Migration(from: 1) { (old: Old) in
      let words = old.name.split(separator: " ").map(String.init)
      return New(first: words.first ?? "", last: words.last ?? "")
    }
    #expect(split.version == 1)
  }
}
