// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/Storage/FileStorage.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Foundation
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/Storage/FileStorage.swift")
struct AsyncStorePersistenceStorageFileStorageSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of FileStorage.swift yields what its comments say") func snippet1() throws {
    let file = FileStorage(folder.appending(path: "tally.state"))
    try file.write(Data("one".utf8))
    try file.write(Data("two".utf8))
    let (now, before) = (try file.read(), try file.readPrevious())
    #expect(now == Data("two".utf8))
    #expect(before == Data("one".utf8))
  }
}
