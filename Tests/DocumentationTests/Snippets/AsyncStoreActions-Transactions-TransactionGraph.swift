// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Transactions/TransactionGraph.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Transactions/TransactionGraph.swift")
struct AsyncStoreActionsTransactionsTransactionGraphSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of TransactionGraph.swift yields what its comments say") func snippet1() async throws {
    typealias Step = StateTransaction<Counter, UserService>
    var order = TransactionGraph<Counter, UserService>()
    order.add(Step("ship") { $0.items.append("shipped") }, after: "pay")
    order.add(Step("pay") { $0.items.append("paid") })
    let statuses = try await store.begin(order).outcomes
    #expect(statuses.count == 2)
    #expect(store.items == ["paid", "shipped"])
  }
}
