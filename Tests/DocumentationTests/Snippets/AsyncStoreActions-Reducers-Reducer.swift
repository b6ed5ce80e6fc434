// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Reducers/Reducer.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Reducers/Reducer.swift")
struct AsyncStoreActionsReducersReducerSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Reducer.swift yields what its comments say") func snippet1() {
    struct Meter: Sendable { var level = 0, changes = 0 }
    let level = Reducer<Meter, Int, Void> { meter, delta in meter.level += delta; return .none }
    let changes = Reducer<Meter, Int, Void> { meter, _ in meter.changes += 1; return .none }
    var meter = Meter()
    _ = (level + changes).reduce(&meter, 5)
    #expect(meter.level == 5)
    #expect(meter.changes == 1)
  }
}
