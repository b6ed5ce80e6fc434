// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Transactions/StateTransaction.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Transactions/StateTransaction.swift")
struct AsyncStoreActionsTransactionsStateTransactionSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of StateTransaction.swift yields what its comments say") func snippet1() async throws {
    let rename = StateTransaction<Counter, UserService>("rename") { draft in
      try draft.change { $0.isLoading = true }
      let user = try await draft.env.user()
      try draft.change { $0.user = user }
      try draft.change { $0.isLoading = false }
    }
    let status = await store.begin(rename).outcome
    #expect("\(status)" == "completed")
    #expect(store.user == "Ada")
  }
}
