// swift-format-ignore-file
// Made from Sources/AsyncStore/Store/EffectHandle.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Store/EffectHandle.swift")
struct AsyncStoreStoreEffectHandleSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of EffectHandle.swift yields what its comments say") func snippet1() async throws {
    let handle = store.receive(.task { .set(\.user, to: try await service.user()) })
    let outcome = await handle.outcome
    #expect(outcome.isFinished == true)
  }
}
