// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Network/NetworkConditions.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Network/NetworkConditions.swift")
struct AsyncStoreTestingNetworkNetworkConditionsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of NetworkConditions.swift yields what its comments say") func snippet1() {
    let lossy = NetworkConditions(latency: .milliseconds(1) ... .milliseconds(20), loss: 0.1, duplication: 0.05)
    #expect(lossy.loss == 0.1)
  }
}
