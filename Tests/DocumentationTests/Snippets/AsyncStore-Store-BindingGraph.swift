// swift-format-ignore-file
// Made from Sources/AsyncStore/Store/BindingGraph.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Store/BindingGraph.swift")
struct AsyncStoreStoreBindingGraphSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of BindingGraph.swift yields what its comments say") func snippet1() {
    let log = CounterStore(state: Counter(), env: service, name: "log")
    store.bind(id: "log", to: log, on: \.items) { .set(\.count, to: $0.count) }
    let graph = BindingGraph([store, log])
    #expect(graph.edges.map(\.identifier) == ["log"])
    #expect(graph.cycles.isEmpty == true)
  }
}
