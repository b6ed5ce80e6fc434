import AsyncStoreActions
import Testing

@Suite("A graph of transactions")
struct TransactionGraphTests {
  typealias Graph = TransactionGraph<Board, Service>
  typealias Step = StateTransaction<Board, Service>
  let store = BoardStore()

  private func log(_ name: String) -> Step {
    Step(name) { draft in
      await Task.detached {}.value
      try draft.change { $0.lines.append(name) }
    }
  }

  private func words(_ run: TransactionGraphRun) async -> [String: String] {
    await run.outcomes.mapValues { "\($0)" }
  }

  @Test("A transaction graph runs each transaction after its dependencies, in whatever order they were added")
  func order() async throws {
    var graph = Graph()
    graph.add(log("d"), after: "b", "c")
    graph.add(log("b"), after: "a")
    graph.add(log("c"), after: "a")
    graph.add(log("a"))
    let run = try store.begin(graph)
    #expect(await words(run).values.allSatisfy { $0 == "completed" })
    #expect(store.lines.first == "a")
    #expect(store.lines.last == "d")
    #expect(store.lines.sorted() == ["a", "b", "c", "d"])
  }

  @Test("A transaction graph of a sequence runs its transactions one after the other")
  func sequence() async throws {
    let names = (0..<20).map { "\($0)" }
    let run = try store.begin(Graph(sequence: names.map(log)))
    _ = await run.outcomes
    #expect(store.lines == names)
  }

  @Test("A transaction graph with a cycle is refused with the names on it, and begins nothing")
  func cycle() {
    var graph = Graph()
    graph.add(log("start"))
    graph.add(log("a"), after: "c", "start")
    graph.add(log("b"), after: "a")
    graph.add(log("c"), after: "b")
    let error = #expect(throws: TransactionError.self) { try store.begin(graph) }
    #expect(error?.code == .cycle)
    #expect(error?.description.contains("a → c → b → a") == true)
    #expect(store.inFlight.isEmpty)
    var own = Graph()
    own.add(log("self"), after: "self")
    #expect(throws: TransactionError.self) { try store.begin(own) }
  }

  @Test("A transaction graph with a missing transaction or a duplicate name is refused")
  func faults() {
    var graph = Graph()
    graph.add(log("a"), after: "missing")
    let error = #expect(throws: TransactionError.self) { try store.begin(graph) }
    #expect(error?.code == .unknown)
    #expect(error?.description == "a depends on missing, which is not there.")
    var stray = Graph()
    stray.add(log("a"))
    stray.addDependency(of: "missing", on: "a")
    let strayError = #expect(throws: TransactionError.self) { try store.begin(stray) }
    #expect(strayError?.code == .unknown)
    #expect(strayError?.description == "missing depends on a, but is not there.")
    let twice = #expect(throws: TransactionError.self) { try store.begin(Graph(sequence: [log("a"), log("a")])) }
    #expect(twice?.code == .duplicate)
  }

  @Test("A failed transaction of a graph cancels those that depend on it, and no others")
  func failure() async throws {
    var graph = Graph()
    graph.add(Step("a") { _ in throw Failure() })
    graph.add(log("b"), after: "a")
    graph.add(log("c"), after: "b")
    graph.add(log("d"))
    let run = try store.begin(graph)
    #expect(
      await words(run) == ["a": "failed: Failure()", "b": "cancelled", "c": "cancelled", "d": "completed"])
    #expect(run.firstError is Failure)
    #expect(store.lines == ["d"])
  }

  @Test("A transaction that continues after a failure can read the error before it")
  func sharedError() async throws {
    var graph = Graph()
    graph.add(Step("a") { (_: inout Board) in throw Failure() })
    graph.add(
      Step("b") { draft in
        #expect(draft.previousError is Failure)
        try draft.change { $0.lines.append("b") }
      }, after: "a")
    graph.add(
      Step("c") { draft in
        try draft.throwPreviousError()
        try draft.change { $0.lines.append("c") }
      }, after: "b")
    let run = try store.begin(graph, continuesAfterFailure: true)
    #expect(await words(run) == ["a": "failed: Failure()", "b": "completed", "c": "failed: Failure()"])
    #expect(store.lines == ["b"])
  }

  @Test("A transaction of a graph has no error of unrelated ones, and the first error of its dependencies")
  func unrelatedError() async throws {
    var graph = Graph()
    graph.add(Step("x") { (_: inout Board) in throw Failure() })
    graph.add(log("a"))
    graph.add(
      Step("b") { draft in
        try draft.throwPreviousError()
        throw CancellationError()
      }, after: "a")
    graph.add(
      Step("c") { draft in
        #expect(draft.previousError is Failure)
        try draft.change { $0.lines.append("c") }
      }, after: "b", "x")
    let run = try store.begin(graph, continuesAfterFailure: true)
    #expect(
      await words(run) == [
        "a": "completed", "b": "failed: CancellationError()", "c": "completed", "x": "failed: Failure()",
      ])
    #expect(run.firstError is Failure)
  }

  @Test("Cancelling the store's effects does not cancel a transaction graph")
  func cancelAll() async throws {
    let gate = Gate()
    var graph = Graph()
    graph.add(
      Step("a") { draft in
        await gate.pass()
        try draft.change { $0.lines.append("a") }
      })
    graph.add(log("b"), after: "a")
    let run = try store.begin(graph)
    let alone = store.begin(log("c"))
    await gate.arrival()
    store.receive(.cancelAll())
    store.receive(.cancel(prefix: "AsyncStoreActions.transactions"))
    gate.open()
    #expect(await words(run) == ["a": "completed", "b": "completed"])
    #expect("\(await alone.outcome)" == "completed")
    #expect(store.state.lines.sorted() == ["a", "b", "c"])
  }

  @Test("A graph of synchronous transactions has completed when the call returns")
  func immediate() throws {
    var graph = Graph()
    graph.add(Step("b") { $0.lines.append("b") }, after: "a")
    graph.add(Step("a") { $0.lines.append("a") })
    let run = try store.begin(graph)
    #expect(run.runs.values.allSatisfy { "\($0.status)" == "completed" })
    #expect(store.lines == ["a", "b"])
  }

  @Test("Cancelling a waiting transaction of a graph reports it as cancelled at once")
  func cancelOneThatWaits() async throws {
    let gate = Gate()
    var graph = Graph()
    graph.add(Step("a") { _ in await gate.pass() })
    graph.add(log("b"), after: "a")
    let run = try store.begin(graph)
    await gate.arrival()
    run.runs["b"]?.cancel()
    #expect("\(try #require(await run.runs["b"]?.outcome))" == "cancelled")
    #expect("\(try #require(run.status(of: "a")))" == "started")
    gate.open()
    _ = await run.outcomes
    #expect(store.lines.isEmpty)
  }

  @Test("A cancelled transaction graph begins nothing more, even if it continues after failures")
  func cancelOfThoseThatGoOn() async throws {
    let gate = Gate()
    var graph = Graph()
    graph.add(Step("a") { _ in await gate.pass() })
    graph.add(Step("b") { $0.lines.append("b") }, after: "a")
    let run = try store.begin(graph, continuesAfterFailure: true)
    await gate.arrival()
    run.cancel()
    gate.open()
    #expect(await words(run) == ["a": "cancelled", "b": "cancelled"])
    #expect(store.lines.isEmpty)
  }

  @Test("A transaction can begin after a transaction of another store has completed")
  func severalStores() async throws {
    let other = BoardStore()
    let gate = Gate()
    let pay = store.begin(
      Step("pay") { draft in
        await gate.pass()
        try draft.change { $0.total -= 10 }
        draft.send(.load)
      })
    let ship = other.begin(Step("ship") { $0.lines.append("shipped") }, after: [pay])
    let refuse = store.begin(Step("refuse") { (_: inout Board) in throw Failure() })
    let never = other.begin(Step("never") { $0.lines.append("never") }, after: [pay, refuse])
    #expect("\(ship.status)" == "pending")
    gate.open()
    #expect("\(await ship.outcome)" == "completed")
    #expect("\(await never.outcome)" == "cancelled")
    #expect(store.state == Board(total: -10, lines: ["text"]))
    #expect(other.lines == ["shipped"])
    #expect("\(other.begin(Step("late") { $0.total = 1 }, after: [pay]).status)" == "completed")
  }

  @Test("A cancelled transaction graph commits nothing more")
  func cancel() async throws {
    let gate = Gate()
    var graph = Graph()
    graph.add(log("a"))
    graph.add(
      Step("b") { draft in
        await gate.pass()
        try draft.change { $0.lines.append("b") }
      }, after: "a")
    graph.add(log("c"), after: "b")
    let run = try store.begin(graph)
    await gate.arrival()
    run.cancel()
    gate.open()
    #expect(await words(run) == ["a": "completed", "b": "cancelled", "c": "cancelled"])
    #expect(store.lines == ["a"])
    #expect("\(try #require(run.status(of: "c")))" == "cancelled")
  }
}
