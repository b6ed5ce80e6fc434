// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/AsyncStore.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/AsyncStore.md")
struct AsyncStoreAsyncStoreAsyncStoreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStore.md yields what its comments say") func snippet1() async throws {
    struct Library: Sendable { var books: [String] = [] }

    let library = AsyncStore(state: Library(), env: UserService())
    await library.run(
      .perform { service in
        .set(\.books, to: try await service.items())
      })
    #expect(library.books == ["one", "two"])
  }
}
