// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Transactions/AsyncStore+Transactions.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Transactions/AsyncStore+Transactions.swift")
struct AsyncStoreActionsTransactionsAsyncStoreTransactionsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of AsyncStore+Transactions.swift yields what its comments say") func snippet1() {
    let spend = StateTransaction<Counter, UserService>("spend") { state in
      state.count -= 3
      if state.count < 0 { throw UserService.Unavailable() }
    }
    let run = store.begin(spend)
    #expect(store.count == 0)
    #expect("\(run.status)" == "failed: Unavailable()")
  }
}
