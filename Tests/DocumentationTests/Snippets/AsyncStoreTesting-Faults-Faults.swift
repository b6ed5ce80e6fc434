// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Faults/Faults.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Faults/Faults.swift")
struct AsyncStoreTestingFaultsFaultsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Faults.swift yields what its comments say") func snippet1() async throws {
    try await simulate(seed: 3) { simulation in
      let faults = simulation.faults(latency: .milliseconds(10) ... .milliseconds(50), failures: 0.5)
      let load = faults.applied { (name: String) in "Hello, \(name)" }
      let greeting = try? await load("Ada")
      #expect((greeting == nil || greeting == "Hello, Ada") == true)
      #expect((.milliseconds(10) ... .milliseconds(50)).contains(simulation.clock.now.offset) == true)
    }
  }
}
