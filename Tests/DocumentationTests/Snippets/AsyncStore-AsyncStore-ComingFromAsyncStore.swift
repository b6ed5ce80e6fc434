// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/ComingFromAsyncStore.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/ComingFromAsyncStore.md")
struct AsyncStoreAsyncStoreComingFromAsyncStoreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ComingFromAsyncStore.md yields what its comments say") func snippet1() async throws {
    let users = CounterStore(state: Counter(), env: service, isolation: nil) { error in .set(\.message, to: "\(error)") }

    @Sendable func loginTask(_ name: String) async throws -> CounterStore.Effect {
      let user = try await service.user()
      return .set(\.user, to: user)
    }

    await users.run(.dataTask("Ada", loginTask))
    #expect(users.user == "Ada")
  }

  @Test("Snippet 2 of ComingFromAsyncStore.md yields what its comments say") func snippet2() async throws {
    await store.run(
      .concatenate(
        .set(\.isLoading, to: true),
        .merge(
          .task { .set(\.user, to: try await service.user()) },
          .task { .set(\.items, to: try await service.items()) }
        ),
        .set(\.isLoading, to: false)
      ))
    #expect(store.user == "Ada")
    #expect(store.isLoading == false)
  }

  @Test("Snippet 3 of ComingFromAsyncStore.md yields what its comments say") func snippet3() {
    store.bind(id: "UserStore.items", to: \.items) { items in .set(\.count, to: items.count) }
    store.receive(.append("one", to: \.items))
    store.receive(.merge(effects: ["UserStore.items"].map { id in .cancel(id) }))
    store.receive(.append("two", to: \.items))
    #expect(store.count == 1)
  }
}
