// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/Transactions.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/Transactions.md")
struct AsyncStoreActionsAsyncStoreActionsTransactionsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Transactions.md yields what its comments say") func snippet1() {
    let spend = StateTransaction<Counter, UserService>("spend") { state in
      state.items.append("receipt")
      state.count -= 3
      if state.count < 0 { throw UserService.Unavailable() }
    }
    let failed = store.begin(spend)
    store.receive(.set(\.count, to: 5))
    let run = store.begin(spend)
    #expect("\(failed.status)" == "failed: Unavailable()")
    #expect("\(run.status)" == "completed")
    #expect(store.items == ["receipt"])
    #expect(store.count == 2)
  }

  @Test("Snippet 2 of Transactions.md yields what its comments say") func snippet2() async throws {
    let load = StateTransaction<Counter, UserService>("load") { draft in
      let items = try await draft.env.items()
      try draft.change { $0.items = items }
      try draft.change { $0.count = $0.items.count }
    }
    let status = await store.begin(load).outcome
    #expect("\(status)" == "completed")
    #expect(store.count == 2)
  }

  @Test("Snippet 3 of Transactions.md yields what its comments say") func snippet3() async throws {
    let addOne = StateTransaction<Counter, UserService>("add one") { draft in
      try draft.change { $0.count += 1 }
      store.receive(.set(\.count, to: 10))
    }
    _ = await store.begin(addOne).outcome
    #expect(store.count == 11)
  }

  @Test("Snippet 4 of Transactions.md yields what its comments say") func snippet4() async throws {
    let copy = StateTransaction<Counter, UserService>("copy") { draft in
      let user = draft.user ?? "nobody"
      if draft.attempt == 1 { store.receive(.set(\.user, to: "Ada")) }
      try draft.change { $0.message = "\(user), attempt \(draft.attempt)" }
    }
    _ = await store.begin(copy).outcome
    #expect(store.message == "Ada, attempt 2")
  }

  @Test("Snippet 5 of Transactions.md yields what its comments say") func snippet5() async throws {
    struct Order: Model {
      enum Action: Sendable { case pay, shipped }
      typealias Environment = UserService
      var balance = 10
      var isShipped = false

      static func update(_ state: inout Order, _ action: Action) -> Effect {
        switch action {
        case .pay:
          state.balance -= 4
          return .perform { service in
            _ = try await service.items()
            return .send(.shipped)
          }
        case .shipped: state.isShipped = true
        }
        return .none
      }
    }

    let order = StoreOf<Order>(state: Order(), env: service)
    let run = order.begin(
      StateTransaction("pay") { draft in
        draft.send(.pay)
        if draft.balance < 0 { throw UserService.Unavailable() }
      })
    _ = await run.outcome
    try await order.wait(for: \.isShipped, toEqual: true)
    #expect(order.balance == 6)
  }

  @Test("Snippet 6 of Transactions.md yields what its comments say") func snippet6() async throws {
    let run = store.begin(
      StateTransaction("slow") { draft in
        try draft.change { $0.count = 9 }
        try? await draft.env.hang()
      })
    run.cancel()
    let status = await run.outcome
    #expect("\(status)" == "cancelled")
    #expect(store.count == 0)
  }

  @Test("Snippet 7 of Transactions.md yields what its comments say") func snippet7() async {
    let runs = ["a", "b"].map { name in
      store.begin(
        StateTransaction<Counter, UserService>(name) { $0.items.append(name) }, id: "save",
        pacing: .debounce(for: .milliseconds(50)))
    }
    let (first, second) = (await runs[0].outcome, await runs[1].outcome)
    #expect("\(first), \(second)" == "cancelled, completed")
    #expect(store.items == ["b"])
  }

  @Test("Snippet 8 of Transactions.md yields what its comments say") func snippet8() async throws {
    typealias Step = StateTransaction<Counter, UserService>
    var checkout = TransactionGraph<Counter, UserService>()
    checkout.add(Step("pack") { $0.items.append("packed") })
    checkout.add(Step("charge") { _ in throw UserService.Unavailable() }, after: "pack")
    checkout.add(Step("ship") { $0.items.append("shipped") }, after: "charge")
    let run = try store.begin(checkout)
    let statuses = await run.outcomes
    #expect("\(statuses["charge"]!)" == "failed: Unavailable()")
    #expect("\(statuses["ship"]!)" == "cancelled")
    #expect(store.items == ["packed"])
  }

  @Test("Snippet 9 of Transactions.md yields what its comments say") func snippet9() async {
    let stock = CounterStore(state: Counter(), env: service)
    let pay = store.begin(StateTransaction("pay") { $0.count -= 10 })
    let ship = stock.begin(StateTransaction("ship") { $0.items.append("shipped") }, after: [pay])
    let status = await ship.outcome
    #expect("\(status)" == "completed")
    #expect(stock.items == ["shipped"])
  }

  @Test("Snippet 10 of Transactions.md yields what its comments say") func snippet10() async {
    let stock = CounterStore(state: Counter(), env: service)
    let reserve = StateTransaction<Counter, UserService>("reserve") { $0.items.append("reserved") }
    let release = StateTransaction<Counter, UserService>("release") { $0.items.removeAll() }
    let pay = StateTransaction<Counter, UserService>("pay") { state in
      guard state.count >= 10 else { throw UserService.Unavailable() }
      state.count -= 10
    }
    let order: CounterStore.Effect = .sequence(
      .lift(.transaction(reserve), to: stock).compensate(with: .lift(.transaction(release), to: stock)),
      .transaction(pay))
    await store.run(order)
    #expect(stock.items.isEmpty == true)
    #expect(store.count == 0)
  }

  @Test("Snippet 11 of Transactions.md yields what its comments say") func snippet11() async throws {
    let load = StateTransaction<Counter, UserService>("load") { draft in
      let items = try await draft.env.unreliableItems()
      try draft.change { $0.items = items }
    }
    await store.run(
      .concatenate(
        .transaction(load).retry(.constant(.milliseconds(1)).limitedTo(attempts: 5)),
        .read { state in .set(\.count, to: state.items.count) }))
    #expect(store.items == ["one", "two"])
    #expect(store.count == 2)
  }

  @Test("Snippet 12 of Transactions.md yields what its comments say") func snippet12() {
    struct Bank: Equatable, Sendable { var accounts = ["Ada": 10, "Bob": 0] }
    let bank = AsyncStore(state: Bank(), env: ())
    let withdraw = StateTransaction<Int, Void>("withdraw") { balance in balance -= 4 }
    let (ada, eve) = (bank.child(\.accounts, key: "Ada"), bank.child(\.accounts, key: "Eve"))
    let (first, second) = (ada.begin(withdraw), eve.begin(withdraw))
    let error: TransactionError? = if case .failed(let error) = second.status { error as? TransactionError } else { nil }
    #expect("\(first.status)" == "completed")
    #expect(bank.accounts == ["Ada": 6, "Bob": 0])
    #expect(error?.code == .missing)
  }
}
