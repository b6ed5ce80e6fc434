// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Models/Model.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Models/Model.swift")
struct AsyncStoreActionsModelsModelSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Model.swift yields what its comments say") func snippet1() {
    struct Tally: Model {
      enum Action: Sendable { case increment, add(Int) }
      var count = 0

      static func update(_ state: inout Tally, _ action: Action) -> Effect {
        switch action {
        case .increment: state.count += 1
        case .add(let number): state.count += number
        }
        return .none
      }
    }

    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.send(.add(2))
    #expect(tally.count == 2)
  }
}
