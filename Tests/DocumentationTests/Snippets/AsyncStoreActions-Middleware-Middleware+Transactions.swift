// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Middleware/Middleware+Transactions.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Middleware/Middleware+Transactions.swift")
struct AsyncStoreActionsMiddlewareMiddlewareTransactionsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Middleware+Transactions.swift yields what its comments say") func snippet1() {
    let output = CounterStore(state: Counter(), env: service)
    let tally = StoreOf<Tally>(
      state: Tally(), env: (), middleware: [.reportingTransactions { output.receive(.append($0.name, to: \.items)) }])
    tally.begin(StateTransaction("add") { $0.count += 1 })
    #expect(output.items == ["add"])
  }
}
