// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/TestStore/TestStore.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/TestStore/TestStore.swift")
struct AsyncStoreTestingTestStoreTestStoreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of TestStore.swift yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(Counter(), env: service)
      store.receive(
        .concatenate(
          .set(\.isLoading, to: true), .sleep(.milliseconds(300)).id("pause"), .set(\.isLoading, to: false)))
      store.expect { $0.isLoading = true }
      store.expect(.begun("pause"))
      store.expectInFlight("pause")
      await store.expect(.settled("pause"), after: .milliseconds(300))  // and not before
      store.expect { $0.isLoading = false }
      #expect(store.isLoading == false)
    }
  }
}
