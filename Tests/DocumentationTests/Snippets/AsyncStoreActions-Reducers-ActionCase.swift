// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Reducers/ActionCase.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Reducers/ActionCase.swift")
struct AsyncStoreActionsReducersActionCaseSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ActionCase.swift yields what its comments say") func snippet1() {
    enum HouseAction: Sendable { case door(String), light(Bool) }
    let light = ActionCase(embed: HouseAction.light) { if case .light(let isOn) = $0 { isOn } else { nil } }
    #expect(light.extract(.light(true)) == true)
    #expect(light.extract(.door("front")) == nil)
  }
}
