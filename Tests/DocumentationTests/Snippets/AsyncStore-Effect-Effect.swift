// swift-format-ignore-file
// Made from Sources/AsyncStore/Effect/Effect.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Effect/Effect.swift")
struct AsyncStoreEffectEffectSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Effect.swift yields what its comments say") func snippet1() async throws {
    let load: CounterStore.Effect = .concatenate(
      .set(\.isLoading, to: true),
      .task { .set(\.count, to: try await fetchCount()) },
      .set(\.isLoading, to: false)
    )
    await store.run(load)
    #expect(store.count == 3)
    #expect(load.children.map(\.summary.kind) == [.set, .task, .set])
  }
}
