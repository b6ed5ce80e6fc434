// swift-format-ignore-file
// Made from Sources/AsyncStore/Effect/Effect+Tasks.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Effect/Effect+Tasks.swift")
struct AsyncStoreEffectEffectTasksSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Effect+Tasks.swift yields what its comments say") func snippet1() async throws {
    await store.run(.task { .set(\.user, to: try await service.user()) })
    #expect(store.user == "Ada")
  }

  @Test("Snippet 2 of Effect+Tasks.swift yields what its comments say") func snippet2() async throws {
    await store.run(.perform { service in .set(\.items, to: try await service.items()) })
    #expect(store.items == ["one", "two"])
  }

  @Test("Snippet 3 of Effect+Tasks.swift yields what its comments say") func snippet3() async {
    await store.run(.dataTask(credentials, login))
    #expect(store.user == "Ada")
  }
}
