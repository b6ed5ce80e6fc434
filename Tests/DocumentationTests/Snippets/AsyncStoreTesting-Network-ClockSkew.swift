// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Network/ClockSkew.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Network/ClockSkew.swift")
struct AsyncStoreTestingNetworkClockSkewSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ClockSkew.swift yields what its comments say") func snippet1() {
    let fast = ClockSkew(offset: .milliseconds(20), drift: 0.01)
    #expect(fast.reading(at: .seconds(100)) == .milliseconds(101_020))
  }
}
