// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/JSON/JSONString.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/JSON/JSONString.swift")
struct AsyncStorePersistenceJSONJSONStringSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of JSONString.swift yields what its comments say") func snippet1() {
    let (composed, decomposed): (JSONString, JSONString) = ("\u{e9}", "e\u{301}")
    // composed != decomposed
    #expect(composed.text == decomposed.text)
  }
}
