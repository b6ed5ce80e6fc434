// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Network/HostStorage.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Network/HostStorage.swift")
struct AsyncStoreTestingNetworkHostStorageSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of HostStorage.swift yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let network = SimulatedNetwork<String>()
      let host = network.host("a")
      host.storage.write(7, to: "term")
      try await host.storage.sync()
      network.restart("a")
      #expect(network["a"]?.storage.read("term", as: Int.self) == 7)
    }
  }
}
