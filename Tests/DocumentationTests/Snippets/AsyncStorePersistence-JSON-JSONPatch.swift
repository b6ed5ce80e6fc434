// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/JSON/JSONPatch.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/JSON/JSONPatch.swift")
struct AsyncStorePersistenceJSONJSONPatchSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of JSONPatch.swift yields what its comments say") func snippet1() throws {
    let patch = JSONPatch(from: ["a": 1, "b": [1, 2]], to: ["a": 2, "b": [1]])
    #expect(patch.operations.count == 2)
    let document = try patch.applied(to: ["a": 1, "b": [1, 2]])
    #expect(document == ["a": 2, "b": [1]])
  }
}
