// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/TestStore/EffectPattern.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/TestStore/EffectPattern.swift")
struct AsyncStoreTestingTestStoreEffectPatternSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of EffectPattern.swift yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Counter(), env: service)
      store.receive(.sleep(.seconds(1)).id(EffectID("feed").appending(3)))
      store.expect(.begun(.id(EffectID("feed").appending(3))))  // and not .begun("feed/3")
      store.expectInFlight("feed")
      await store.expect(.settled("feed"), after: .seconds(1))
      #expect(store.store.inFlight.isEmpty == true)
    }
  }
}
