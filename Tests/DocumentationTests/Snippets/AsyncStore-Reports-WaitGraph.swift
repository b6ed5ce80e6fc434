// swift-format-ignore-file
// Made from Sources/AsyncStore/Reports/WaitGraph.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Reports/WaitGraph.swift")
struct AsyncStoreReportsWaitGraphSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of WaitGraph.swift yields what its comments say") func snippet1() {
    store.receive(.sleep(.seconds(60)).id("export", .queue()))
    store.receive(.set(\.count, to: 1).id("export", .queue()))
    let graph = store.inFlight.waitGraph
    #expect(graph.edges.count == 2)
    #expect(graph.cycles.isEmpty == true)
  }
}
