// swift-format-ignore-file
// Made from Sources/AsyncStore/Effect/Effect+Structure.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Effect/Effect+Structure.swift")
struct AsyncStoreEffectEffectStructureSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Effect+Structure.swift yields what its comments say") func snippet1() async throws {
    let search = CounterStore.Effect.task { .set(\.count, to: try await fetchCount()) }
      .debounce(for: .milliseconds(300), id: "search")

    var waits = false
    if case .debounce(let loading, for: .milliseconds(300), id: "search") = search.structure,
      case .task = loading.structure
    {
      waits = true
    }
    #expect(waits == true)
  }
}
