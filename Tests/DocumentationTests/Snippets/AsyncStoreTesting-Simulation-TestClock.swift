// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Simulation/TestClock.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Simulation/TestClock.swift")
struct AsyncStoreTestingSimulationTestClockSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of TestClock.swift yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.concatenate(.sleep(.seconds(60)), .set(\.count, to: 1)))
      await simulation.clock.advance(by: .seconds(59))
      #expect(store.count == 0)
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.count == 1)
    }
  }
}
