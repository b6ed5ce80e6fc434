// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/Laws/Laws.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/Laws/Laws.swift")
struct AsyncStoreTestingLawsLawsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Laws.swift yields what its comments say") func snippet1() async throws {
    let search = CounterStore.Effect.task { .set(\.count, to: 3) }.debounce(for: .milliseconds(300), id: "search")
    let report = try await Laws.cancelLeavesNothing(state: Counter(), env: service) { _, _ in search }
    try await Laws.settles(state: Counter(), env: service) { _, _ in search }
    try Laws.updatesPurely(states: [0, 1], actions: [1, -1]) { (count: inout Int, step: Int) in count += step }
    #expect(report.scheduleCount == 500)
  }
}
