import AsyncStoreActions
import Testing

@Suite("The run of a transaction", .timeLimit(.minutes(10)))
struct TransactionRunTests {
  typealias Step = StateTransaction<Board, Service>

  private let executor = ImmediateExecutor()
  private let gate = Gate()

  @Test("A task that the end of a run resumes on the same thread may ask the run for its status")
  func resumedWaiter() async {
    let store = BoardStore()
    let run = store.begin(
      Step("slow") { [gate] draft in
        await gate.pass()
        try draft.change { $0.total += 1 }
      })
    await gate.arrival()
    // The executor has run it up to its wait when this returns.
    let waiter = Task(executorPreference: executor) {
      let outcome = await run.outcome
      return "\(outcome), \(run.status)"
    }
    gate.open()
    #expect(await waiter.value == "completed, completed")
    #expect(store.total == 1)
  }

  @Test("A reader that a status resumes on the same thread may ask the run for its status and cancel it")
  func resumedReader() async {
    let store = BoardStore()
    let first = store.begin(Step("first") { [gate] _ in await gate.pass() }, id: "q", pacing: .queue)
    let run = store.begin(Step("second") { draft in try draft.change { $0.total += 1 } }, id: "q", pacing: .queue)
    await gate.arrival()
    let reader = Task(executorPreference: executor) {
      var words: [String] = []
      for await status in run.statuses {
        words.append("\(status), \(run.status)")
        if case .started = status { run.cancel() }
      }
      return words
    }
    gate.open()
    #expect(await reader.value == ["pending, pending", "started, started", "cancelled, cancelled"])
    #expect("\(await first.outcome)" == "completed")
    #expect(store.total == 0)
  }

  @Test("A reader that begins during the transaction's change receives each later status once")
  func readerInItsChange() async throws {
    let store = BoardStore()
    let run = Note<TransactionRun?>(nil)
    let statuses = Note<AsyncStream<TransactionStatus>?>(nil)
    let first = store.begin(Step("first") { [gate] _ in await gate.pass() }, id: "q", pacing: .queue)
    let second = store.begin(
      Step("second", changing: { _ in statuses.change { $0 = run.value?.statuses } }), id: "q", pacing: .queue)
    run.change { $0 = second }
    await gate.arrival()
    gate.open()
    _ = await (first.outcome, second.outcome)
    var words: [String] = []
    for await status in try #require(statuses.value) { words.append("\(status)") }
    #expect(words == ["started", "completed"])
  }

  /// Sends an action whose effect waits at the gate.
  private let load = Step("load") { draft in
    try draft.change { $0.total += 1 }
    draft.send(.load)
  }

  /// Creates a store whose commits, and what they lead to, are over when a call returns, up to the first wait.
  private func makeStore() -> BoardStore {
    let service = Service(text: { [gate] in
      await gate.pass()
      return "text"
    })
    return BoardStore(state: Board(), env: service, executor: executor)
  }

  /// Begins a transaction in `other`, as soon as the first commit of `store` is told, after the one that made it.
  private func following(_ store: BoardStore, in other: BoardStore) -> Task<TransactionRun?, Never> {
    let transactions = store.changes(of: Part(\Board.total)) { $0.transaction }
    return Task(executorPreference: executor) {
      guard let run = await transactions.first(where: { _ in true }) else { return nil }
      return other.begin(Step("next") { $0.lines.append("next") }, after: [run])
    }
  }

  @Test("A transaction that follows a run before `begin` returns waits for the effects of its actions")
  func followedEarly() async throws {
    let (store, other) = (makeStore(), makeStore())
    let following = following(store, in: other)
    let run = store.begin(load)
    #expect("\(run.status)" == "completed")
    let next = try #require(await following.value)
    await gate.arrival()
    #expect("\(next.status)" == "pending")
    gate.open()
    #expect("\(await next.outcome)" == "completed")
    #expect(store.lines == ["text"] && other.lines == ["next"])
  }

  @Test("Cancelling a run before `begin` returns also cancels the effects of its actions")
  func cancelledEarly() async throws {
    let store = makeStore()
    let transactions = store.changes(of: Part(\Board.total)) { $0.transaction }
    let cancelling = Task(executorPreference: executor) {
      await transactions.first { _ in true }?.cancel()
    }
    let run = store.begin(load)
    #expect("\(run.status)" == "completed")
    await cancelling.value
    gate.open()
    #expect(store.inFlight.isEmpty && store.lines == [])
  }

  @Test("A transaction that follows a transaction effect does not wait for the effects of its actions")
  func followedEffect() async throws {
    let (store, other) = (makeStore(), makeStore())
    let following = following(store, in: other)
    store.receive(.transaction(load))
    let next = try #require(await following.value)
    await gate.arrival()
    #expect("\(await next.outcome)" == "completed")
    #expect(store.lines.isEmpty && other.lines == ["next"])
    gate.open()
  }
}
