// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Reducers/Reducer+Parts.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Reducers/Reducer+Parts.swift")
struct AsyncStoreActionsReducersReducerPartsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Reducer+Parts.swift yields what its comments say") func snippet1() {
    struct Page: Model {
      enum Action: Sendable { case tally(Tally.Action) }
      var tally = Tally()

      static func update(_ state: inout Page, _ action: Action) -> Effect {
        switch action {
        case .tally(let action): update(Part(\.tally), of: &state, action, as: Action.tally)
        }
      }
    }
    let page = StoreOf<Page>(state: Page(), env: ())
    page.send(.tally(.increment))
    #expect(page.tally.count == 1)
  }
}
