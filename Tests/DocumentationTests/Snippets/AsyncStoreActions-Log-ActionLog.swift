// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Log/ActionLog.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Log/ActionLog.swift")
struct AsyncStoreActionsLogActionLogSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ActionLog.swift yields what its comments say") func snippet1() throws {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.startRecording()
    tally.send(.add(2))
    tally.send(.increment)
    let log = try #require(tally.actionLog)
    let state = try log.replay()
    #expect(state == tally.state)
    #expect(log.state(at: 1)?.count == 2)
  }
}
