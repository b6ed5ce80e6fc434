// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/JSON/JSONValue.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Foundation
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/JSON/JSONValue.swift")
struct AsyncStorePersistenceJSONJSONValueSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of JSONValue.swift yields what its comments say") func snippet1() throws {
    let document: JSONValue = ["count": 2, "names": ["a", "b"]]
    let text = try JSONValue(data: Data(#"{"amount":0.10}"#.utf8)).description
    #expect(document.flattened["names/1"] == "b")
    #expect(text == #"{"amount":0.10}"#)
  }
}
