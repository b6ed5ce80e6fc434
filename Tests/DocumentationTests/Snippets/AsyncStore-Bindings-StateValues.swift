// swift-format-ignore-file
// Made from Sources/AsyncStore/Bindings/StateValues.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Bindings/StateValues.swift")
struct AsyncStoreBindingsStateValuesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of StateValues.swift yields what its comments say") func snippet1() async {
    store.receive(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 3)))
    var seen: [Int] = []
    for await count in store.values(of: \.count).prefix(2) { seen.append(count) }
    #expect(seen == [0, 3])
  }
}
