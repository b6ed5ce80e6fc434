// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/AsyncStoreActions.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/AsyncStoreActions.md")
struct AsyncStoreActionsAsyncStoreActionsAsyncStoreActionsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStoreActions.md yields what its comments say") func snippet1() async throws {
    struct Search: Model {
      enum Action: Sendable { case type(String), found([String]) }
      typealias Environment = UserService
      var query = ""
      var hits: [String] = []

      static func update(_ state: inout Search, _ action: Action) -> Effect {
        switch action {
        case .type(let text):
          state.query = text
          return .perform(id: "search") { service in .send(.found(try await service.items())) }
        case .found(let items):
          state.hits = items
          return .none
        }
      }
    }

    let search = StoreOf<Search>(state: Search(), env: service)
    await search.run(.type("books"))
    #expect(search.hits == ["one", "two"])
  }
}
