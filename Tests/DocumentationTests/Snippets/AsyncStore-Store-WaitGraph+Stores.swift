// swift-format-ignore-file
// Made from Sources/AsyncStore/Store/WaitGraph+Stores.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Store/WaitGraph+Stores.swift")
struct AsyncStoreStoreWaitGraphStoresSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of WaitGraph+Stores.swift yields what its comments say") func snippet1() {
    let journal = CounterStore(state: Counter(), env: service, name: "journal")
    store.receive(.lift(.sleep(.seconds(60)), to: journal))
    let graph = WaitGraph([store, journal])
    #expect(graph.edges.map(\.to) == [.effect(journal.inFlight[0].id, in: journal.identity)])
  }
}
