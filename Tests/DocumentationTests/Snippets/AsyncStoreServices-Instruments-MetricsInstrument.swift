// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Instruments/MetricsInstrument.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import MetricsTestKit
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Instruments/MetricsInstrument.swift")
struct AsyncStoreServicesInstrumentsMetricsInstrumentSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of MetricsInstrument.swift yields what its comments say") func snippet1() async throws {
    let metrics = TestMetrics()
    let counted = CounterStore(
      state: Counter(), env: service, name: "orders", instrument: MetricsInstrument(factory: metrics))
    await counted.run(.set(\.count, to: 1))
    let commits = try metrics.expectCounter("asyncstore.commits", [("store", "orders")])
    #expect(commits.totalValue == 1)
  }
}
#endif
