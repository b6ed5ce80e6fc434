import AsyncStoreActions
import Testing

@Suite("The run of a transaction", .timeLimit(.minutes(10)))
struct TransactionRunTests {
  typealias Step = StateTransaction<Board, Service>

  private let executor = ImmediateExecutor()
  private let gate = Gate()

  @Test("may be asked by a task that its end resumes at once, on the same thread")
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

  @Test("may be asked, and cancelled, by a reader that a status resumes at once, on the same thread")
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
}
