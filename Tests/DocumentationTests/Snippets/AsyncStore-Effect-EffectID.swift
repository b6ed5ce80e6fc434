// swift-format-ignore-file
// Made from Sources/AsyncStore/Effect/EffectID.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Effect/EffectID.swift")
struct AsyncStoreEffectEffectIDSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of EffectID.swift yields what its comments say") func snippet1() {
    let page = EffectID("feed").appending("page").appending(3)
    #expect(page.isUnder("feed") == true)
  }
}
