// swift-format-ignore-file
// Made from Sources/AsyncStore/Effect/Effect+Sequences.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Effect/Effect+Sequences.swift")
struct AsyncStoreEffectEffectSequencesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Effect+Sequences.swift yields what its comments say") func snippet1() async throws {
    await store.run(
      .sequence(
        .append("reserved", to: \.items).compensate(with: .append("released", to: \.items)),
        .task { try await service.fail(); return .none },
        .append("shipped", to: \.items)
      ).recover { _ in .none })
    #expect(store.items == ["reserved", "released"])
  }
}
