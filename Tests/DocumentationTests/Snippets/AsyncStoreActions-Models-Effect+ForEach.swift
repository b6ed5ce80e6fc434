// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Models/Effect+ForEach.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Models/Effect+ForEach.swift")
struct AsyncStoreActionsModelsEffectForEachSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Effect+ForEach.swift yields what its comments say") func snippet1() async {
    let pages = AsyncStream<String> { continuation in
      for page in ["one", "two"] { continuation.yield(page) }
      continuation.finish()
    }
    await store.run(.concatenate(.forEach(pages) { .append($0, to: \.items) }, .append("end", to: \.items)))
    #expect(store.items == ["one", "two", "end"])
  }
}
