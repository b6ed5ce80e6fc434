// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/Storage/Storage+Loading.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Foundation
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/Storage/Storage+Loading.swift")
struct AsyncStorePersistenceStorageStorageLoadingSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Storage+Loading.swift yields what its comments say") func snippet1() throws {
    let file = FileStorage(folder.appending(path: "tally.state"))
    let nothing = try file.load(Tally.self)
    let tally = StoreOf<Tally>(state: Tally(count: 3), env: ())
    try tally.persist(\.self, in: file).save()
    let saved = try file.load(Tally.self)
    #expect(nothing == nil)
    #expect(saved?.count == 3)
  }
}
