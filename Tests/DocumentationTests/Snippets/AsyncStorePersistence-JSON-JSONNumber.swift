// swift-format-ignore-file
// Made from Sources/AsyncStorePersistence/JSON/JSONNumber.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStorePersistence
import Testing

@Suite("Snippets of Sources/AsyncStorePersistence/JSON/JSONNumber.swift")
struct AsyncStorePersistenceJSONJSONNumberSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of JSONNumber.swift yields what its comments say") func snippet1() {
    let hash = JSONNumber(UInt64.max)
    let (one, uno) = (JSONNumber("1.0"), JSONNumber("10e-1"))
    #expect(hash.description == "18446744073709551615")
    #expect(one == uno)
  }
}
