// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/LanguageModes.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/LanguageModes.md")
struct AsyncStoreAsyncStoreLanguageModesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of LanguageModes.md yields what its comments say") func snippet1() {
    nonisolated struct Library: Sendable { var books: [String] = [] }

    let library = AsyncStore(state: Library(), env: service)
    library.receive(.append("Emma", to: \.books))
    #expect(library.books == ["Emma"])
  }
}
