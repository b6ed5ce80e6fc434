// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Network/SimulatedNetwork.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Network/SimulatedNetwork.swift")
struct AsyncStoreTestingNetworkSimulatedNetworkSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of SimulatedNetwork.swift yields what its comments say") func snippet1() async throws {
    let answer = try await simulate { simulation in
      let network = SimulatedNetwork<Int>(NetworkConditions(latency: .milliseconds(5) ... .milliseconds(5)))
      network.host("doubler") { host in
        for await request in host.messages { host.send(request.message * 2, to: request.sender) }
      }
      let client = network.host("client")
      client.send(21, to: "doubler")
      return await client.messages.first { _ in true }?.message
    }
    #expect(answer == 42)
  }
}
