// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/Saving/AsyncStore+Persisting.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Foundation
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/Saving/AsyncStore+Persisting.swift")
struct AsyncStorePersistenceSavingAsyncStorePersistingSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStore+Persisting.swift yields what its comments say") func snippet1() throws {
    struct Notes: Codable, Sendable { var lines: [String] = [] }
    let file = FileStorage(folder.appending(path: "tally.state"))
    let notes = AsyncStore(state: Notes(), env: ())
    try notes.persist(\.self, in: file)
    notes.receive(.append("one", to: \.lines))
    notes.deactivate()
    let others = AsyncStore(state: Notes(), env: ())
    try others.persist(\.self, in: file)
    #expect(others.lines == ["one"])
  }
}
