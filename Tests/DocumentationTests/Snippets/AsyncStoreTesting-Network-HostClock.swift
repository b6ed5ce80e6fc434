// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Network/HostClock.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Network/HostClock.swift")
struct AsyncStoreTestingNetworkHostClockSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of HostClock.swift yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let network = SimulatedNetwork<String>()
      let host = network.host("slow", clock: ClockSkew(drift: -0.1))
      try await host.clock.sleep(for: .seconds(9))
      #expect(simulation.clock.now.offset == .seconds(10))
    }
  }
}
