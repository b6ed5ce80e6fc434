// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/ComingFromStore.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/ComingFromStore.md")
struct AsyncStoreActionsAsyncStoreActionsComingFromStoreSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ComingFromStore.md yields what its comments say") func snippet1() {
    let increase = StateTransaction<Counter, UserService>("increase") { state in
      state.items.append("tried")
      guard state.count != 42 else { throw UserService.Unavailable() }
      state.count += 1
    }
    let run = store.begin(increase)
    store.receive(.set(\.count, to: 42))
    let failed = store.begin(increase)
    #expect("\(run.status)" == "completed")
    #expect("\(failed.status)" == "failed: Unavailable()")
    #expect(store.items == ["tried"])
  }

  @Test("Snippet 2 of ComingFromStore.md yields what its comments say") func snippet2() async throws {
    func step(_ name: String) -> StateTransaction<Counter, UserService> { StateTransaction(name) { $0.items.append(name) } }
    var checkout = TransactionGraph<Counter, UserService>()
    checkout.add(step("show order"), after: "check out")
    checkout.add(step("check out"), after: "add item")
    checkout.add(step("add item"))
    let statuses = try await store.begin(checkout).outcomes
    #expect(statuses.count == 3)
    #expect(store.items == ["add item", "check out", "show order"])
  }

  @Test("Snippet 3 of ComingFromStore.md yields what its comments say") func snippet3() async {
    let runs = ["a", "b"].map { name in
      store.begin(
        StateTransaction<Counter, UserService>(name) { $0.items.append(name) }, id: "save",
        pacing: .debounce(for: .milliseconds(50)))
    }
    let first = await runs[0].outcome
    var statuses: [String] = []
    for await status in runs[1].statuses { statuses.append("\(status)") }
    #expect("\(first)" == "cancelled")
    #expect(statuses.last == "completed")
    #expect(store.items == ["b"])
  }

  @Test("Snippet 4 of ComingFromStore.md yields what its comments say") func snippet4() {
    let items = store.child(\.items)
    let history = items.undoHistory()
    items.receive(.append("New", to: \.self))
    items.begin(StateTransaction("clear") { $0.removeAll { $0 == "New" } })
    #expect(store.items.isEmpty == true)
    history.undo()
    #expect(store.items == ["New"])
  }
}
