import AsyncStore
import AsyncStoreActions
import AsyncStorePersistence
import Testing

/// The rows of the guide *Coming from Store*, each under its left column.
@Suite("Coming from Store")
struct ComingFromStoreTests {
  typealias Step = StateTransaction<Counter, UserService>
  typealias Graph = TransactionGraph<Counter, UserService>

  let store = CounterStore(state: Counter(), env: UserService())

  private func append(_ text: String) -> Step { Step(text) { $0.items.append(text) } }

  @Test("A `StateTransaction` replaces `Action { reduce(context:) }` and `context.fulfill()`")
  func action() async {
    let run = store.begin(
      Step("load") { draft in
        let items = try await UserService().items()
        try draft.change { $0.items = items }
      })
    #expect("\(await run.outcome)" == "completed")
    #expect(store.items == ["one", "two"])
  }

  @Test("`draft.change` replaces `context.reduceModel`")
  func reduceModel() async {
    let run = store.begin(
      Step("twice") { draft in
        try draft.change { $0.count += 1 }
        try draft.change { $0.count += 1 }
      })
    _ = await run.outcome
    #expect(store.count == 2)
  }

  @Test("`throw` replaces `context.reject(error:)`")
  func reject() async {
    let run = store.begin(
      Step("refused") { draft in
        try draft.change { $0.count = 5 }
        throw UserService.Unavailable()
      })
    #expect("\(await run.outcome)" == "failed: Unavailable()")
    #expect(store.count == 0)
  }

  @Test("`draft.throwPreviousError()` replaces `rejectOnPreviousError()`")
  func rejectOnPreviousError() async throws {
    var graph = Graph()
    graph.add(Step("first") { (_: inout Counter) in throw UserService.Unavailable() })
    graph.add(Step("second") { draft in try draft.throwPreviousError() }, after: "first")
    let statuses = try await store.begin(graph, continuesAfterFailure: true).outcomes
    #expect("\(statuses["second"].map { "\($0)" } ?? "none")" == "failed: Unavailable()")
  }

  @Test("`store.begin(_:)` and `TransactionGraph(sequence:)` replace `run(action:)` and `run(actions:)`")
  func run() async throws {
    let first = store.begin(append("a"))
    #expect("\(first.status)" == "completed")
    _ = try await store.begin(Graph(sequence: [append("b"), append("c")])).outcomes
    #expect(store.items == ["a", "b", "c"])
  }

  @Test("`StateTransaction(_:changing:)` replaces `mode: .sync`")
  func sync() {
    let run = store.begin(Step("at once") { $0.count = 1 })
    #expect("\(run.status)" == "completed")
    #expect(store.count == 1)
  }

  @Test("A `TransactionGraph` replaces `depend(on:)` and `[t1, t2, t3].run()`")
  func dependencies() async throws {
    var graph = Graph()
    graph.add(append("b"), after: "a")
    graph.add(append("a"))
    _ = try await store.begin(graph).outcomes
    #expect(store.items == ["a", "b"])
    var cycle = Graph()
    cycle.add(append("x"), after: "y")
    cycle.add(append("y"), after: "x")
    let error = #expect(throws: TransactionError.self) { try store.begin(cycle) }
    #expect(error?.description.contains("x") == true)
    #expect(error?.description.contains("y") == true)
  }

  @Test("`store.begin(_:after:)` replaces a run group over several stores")
  func severalStores() async {
    let gate = Gate()
    let other = CounterStore(state: Counter(), env: UserService())
    let first = store.begin(
      Step("first") { draft in
        try await gate.pass()
        try draft.change { $0.count = 1 }
      })
    let second = other.begin(append("second"), after: [first])
    #expect(other.items.isEmpty)
    gate.open()
    #expect("\(await second.outcome)" == "completed")
    #expect(store.count == 1)
    #expect(other.items == ["second"])
  }

  @Test("`pacing:` replaces `throttle:`, in truth a debounce of the whole process")
  func pacing() async {
    let other = CounterStore(state: Counter(), env: UserService())
    func save(_ text: String, in store: CounterStore) -> TransactionRun {
      store.begin(append(text), id: "save", pacing: .debounce(for: .milliseconds(1)))
    }
    let runs = [save("a", in: store), save("b", in: store), save("c", in: other)]
    var outcomes: [String] = []
    for run in runs { outcomes.append("\(await run.outcome)") }
    #expect(outcomes == ["cancelled", "completed", "completed"])
    let throttled = store.begin(append("d"), id: "log", pacing: .throttle(for: .seconds(3_600)))
    #expect("\(await throttled.outcome)" == "completed")
    #expect(store.items == ["b", "d"])
    #expect(other.items == ["c"])
  }

  @Test("`run.statuses` replaces `$state`")
  func statuses() async {
    var seen: [String] = []
    for await status in store.begin(append("a")).statuses { seen.append("\(status)") }
    #expect(seen.last == "completed")
  }

  @Test("`run.cancel()` and `.cancel(id)` are the ways of cancelling a transaction")
  func cancelling() async {
    let hanging = Step("hanging") { _ in try await UserService().hang() }
    let run = store.begin(hanging)
    run.cancel()
    #expect("\(await run.outcome)" == "cancelled")
    let named = store.begin(hanging, id: "hanging")
    store.receive(.cancel("hanging"))
    #expect("\(await named.outcome)" == "cancelled")
  }

  @Test("`JSONValue.flattened` replaces `CodableStore` and `encodeFlat`")
  func flattened() throws {
    let json = try JSONValue(encoding: ["a": ["b": 1]])
    #expect(json.flattened == ["a/b": 1])
  }

  @Test("`store.diffs(of:)` replaces `$lastTransactionDiff` and `diff.transactionId`")
  func diffs() async {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    var diffs = tally.diffs(of: \.count).makeAsyncIterator()
    let run = tally.begin(StateTransaction("add") { $0.count = 7 })
    let diff = await diffs.next()
    #expect(diff?.after == 7)
    #expect(diff?.transaction?.id == run.id)
  }

  @Test("`store.child(_:)` and `child.ancestor(of:)` replace `makeChildStore(keyPath:)` and `parent(type:)`")
  func children() async {
    let items = store.child(\.items)
    #expect(items.ancestor(of: Counter.self)?.state == store.state)
    let history = items.undoHistory()
    var values = items.values().makeAsyncIterator()
    var diffs = items.diffs().makeAsyncIterator()
    items.begin(StateTransaction("append") { $0.append("a") })
    #expect(await values.next() == .some([]))
    #expect(await values.next() == .some(["a"]))
    #expect(await diffs.next()?.after == ["a"])
    history.undo()
    #expect(store.items.isEmpty)
  }

  @Test("`.reportingTransactions(to:)` replaces `register(middleware:)`, the log of transactions")
  func reports() async {
    let recorder = Recorder()
    let output = CounterStore(state: Counter(), env: UserService(), instrument: recorder)
    let tally = StoreOf<Tally>(
      state: Tally(), env: (),
      middleware: [.reportingTransactions(to: { report in output.receive(.append(report.name, to: \.items)) })])
    _ = await tally.begin(StateTransaction("add") { $0.count = 7 }).outcome
    #expect(output.items == ["add"])
    #expect(!recorder.lines.isEmpty)
  }

  @Test("`store.install(_:).remove()` replaces `unregister(middleware:)`")
  func unregister() {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    let installation = tally.install(Middleware { _, _ in nil })
    tally.send(.increment)
    installation.remove()
    tally.send(.add(2))
    #expect(tally.count == 2)
  }

  @Test("`.silently` replaces `performWithoutNotifyingObservers`")
  func silently() async {
    var values = store.values(of: \.count).makeAsyncIterator()
    #expect(await values.next() == 0)
    store.receive(.silently { $0.count = 1 })
    store.receive(.set(\.count, to: 2))
    #expect(await values.next() == 2)
  }

  @Test("`store.binding(_:)` replaces `store.binding.x = 1`")
  func binding() {
    store.binding(\.count).wrappedValue = 1
    #expect(store.count == 1)
  }
}
