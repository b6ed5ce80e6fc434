// swift-format-ignore-file
// Made from Sources/AsyncStore/Store/AnyAsyncStore+Lifecycle.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Store/AnyAsyncStore+Lifecycle.swift")
struct AsyncStoreStoreAnyAsyncStoreLifecycleSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AnyAsyncStore+Lifecycle.swift yields what its comments say") func snippet1() async throws {
    store.receive(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 3)))
    let cancelled = try await store.shutdown()
    #expect(store.count == 3)
    #expect(cancelled.isEmpty == true)
  }
}
