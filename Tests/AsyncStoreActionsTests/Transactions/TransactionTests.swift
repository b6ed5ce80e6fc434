import AsyncStoreActions
import AsyncStoreTesting
import Testing

@Suite("A transaction")
struct TransactionTests {
  typealias Step = StateTransaction<Board, Service>
  let store = BoardStore()

  private func words(_ statuses: AsyncStream<TransactionStatus>) async -> [String] {
    var words: [String] = []
    for await status in statuses { words.append("\(status)") }
    return words
  }

  @Test("Observers see all changes of a transaction as one")
  func atomic() async {
    let seen = AsyncStore(state: [Int](), env: ())
    seen.bind(id: "total", to: store, on: \.total) { total in .set { $0.append(total) } }
    let run = store.begin(
      Step("three") { draft in
        for _ in 0..<3 { try draft.change { $0.total += 1 } }
        #expect(draft.total == 3)
        #expect(draft.previousError == nil)
      })
    let status = await run.outcome
    #expect("\(status)" == "completed")
    #expect(seen.state == [0, 3])
  }

  @Test("A synchronous transaction has completed when `begin` returns")
  func immediate() {
    let run = store.begin(Step("add") { $0.total += 1 })
    #expect("\(run.status)" == "completed")
    #expect(store.total == 1)
  }

  @Test("Everything that a transaction does is reported at the place where it was begun")
  func location() async throws {
    try await simulate(atEnd: .cancels) { simulation in
      let store = simulation.store(Board(), env: Service())
      let slow = Step("slow") { _ in try await simulation.clock.sleep(for: .seconds(60)) }
      store.begin(slow)
      store.begin(slow, id: "debounced", pacing: .debounce(for: .seconds(5)))
      store.begin(slow, after: [store.begin(slow)])
      store.child(\.self).begin(slow)
      store.receive(.transaction(slow))
      try store.begin(TransactionGraph(sequence: [slow]))
      await simulation.settle()
      let files = Set(store.inFlight.compactMap(\.location?.file))
      #expect(files == [#fileID])
      #expect(Set(store.inFlight.compactMap(\.location?.line)).count == 6)
    }
  }

  @Test("A transaction that throws, before or after its changes, changes nothing")
  func rollback() async {
    let late = store.begin(
      Step("late") { draft in
        try draft.change { $0.total += 1 }
        throw Failure()
      })
    let early = store.begin(
      Step("early") { state in
        state.total += 1
        throw Failure()
      })
    #expect("\(await late.outcome)" == "failed: Failure()")
    #expect("\(await early.outcome)" == "failed: Failure()")
    #expect(store.state == Board())
  }

  @Test("A transaction passes its error to `mapError`")
  func errors() async {
    let store = BoardStore(state: Board(), env: Service()) { .send(.log("\($0)")) }
    await store.run(.transaction(Step("fails") { _ in throw Failure() }))
    await store.run(.transaction(Step("throws") { (state: inout Board) in throw Failure() }))
    #expect(store.lines == ["Failure()", "Failure()"])
  }

  @Test("A transaction keeps what others have changed meanwhile")
  func rebase() async {
    let gate = Gate()
    let run = store.begin(
      Step("slow") { draft in
        try draft.change { $0.total += 1 }
        await gate.pass()
        try draft.change { $0.lines.append("total was \($0.total)") }
      })
    await gate.arrival()
    store.send(.add(10))
    #expect(store.total == 10)
    gate.open()
    _ = await run.outcome
    #expect(store.state == Board(total: 11, lines: ["total was 11"]))
  }

  @Test("A transaction changes nothing if one of its changes can no longer be made")
  func conflict() async {
    let gate = Gate()
    let run = store.begin(
      Step("spend") { draft in
        try draft.change { $0.lines.append("spent") }
        try draft.change { if $0.total < 0 { throw Failure() } }
        await gate.pass()
      })
    await gate.arrival()
    store.send(.add(-1))
    gate.open()
    #expect("\(await run.outcome)" == "failed: Failure()")
    #expect(store.state == Board(total: -1))
  }

  @Test("A transaction can continue after a change of its draft has failed")
  func draftChange() async {
    let run = store.begin(
      Step("tries") { draft in
        try? draft.change { state in
          state.total = 99
          throw Failure()
        }
        #expect(draft.total == 0)
        try draft.change { $0.total += 1 }
      })
    #expect("\(await run.outcome)" == "completed")
    #expect(store.total == 1)
  }

  @Test("A cancelled transaction never commits, even if it ignores the cancellation")
  func cancel() async {
    let gate = Gate()
    let run = store.begin(
      Step("ignores") { draft in
        try draft.change { $0.total += 1 }
        await gate.pass()
      }, id: "id")
    await gate.arrival()
    store.receive(.cancel("id"))
    gate.open()
    #expect("\(await run.outcome)" == "cancelled")
    #expect(store.total == 0)
    let other = store.begin(Step("waits") { _ in for await _ in (AsyncStream<Never> { _ in }) {} })
    other.cancel()
    #expect("\(await other.outcome)" == "cancelled")
    store.deactivate()
    #expect("\(store.begin(Step("late") { $0.total += 1 }).status)" == "cancelled")
  }

  @Test("A transaction publishes its statuses to any number of readers")
  func statuses() async {
    let gate = Gate()
    let run = store.begin(Step("slow") { _ in await gate.pass() })
    await gate.arrival()
    let both = [run.statuses, run.statuses]
    gate.open()
    for statuses in both { #expect(await words(statuses) == ["started", "completed"]) }
    #expect(await words(run.statuses) == ["completed"])
  }

  @Test("A transaction that waits for its turn is pending")
  func queue() async {
    let gate = Gate()
    let first = store.begin(
      Step("a") { draft in
        await gate.pass()
        try draft.change { $0.lines.append("a") }
      }, id: "q", pacing: .queue)
    let second = store.begin(Step("b") { $0.lines.append("b") }, id: "q", pacing: .queue)
    let statuses = second.statuses
    await gate.arrival()
    #expect("\(second.status)" == "pending")
    gate.open()
    _ = await (first.outcome, second.outcome)
    #expect(store.lines == ["a", "b"])
    #expect(await words(statuses) == ["pending", "started", "completed"])
  }

  @Test("A transaction that a debounce or a throttle drops is cancelled", .simulated())
  func superseded() async throws {
    let simulation = try #require(Simulation.current)
    let store = simulation.store(Board(), env: Service())
    let runs = (1...3).map { number in
      store.begin(
        Step("\(number)") { $0.lines.append("\(number)") }, id: "x", pacing: .debounce(for: .seconds(5)))
    }
    var ends: [String] = []
    for run in runs { ends.append("\(await run.outcome)") }
    #expect(ends == ["cancelled", "cancelled", "completed"])
    #expect(store.lines == ["3"])
    #expect(simulation.clock.now.offset == .seconds(5))
    let throttled = (1...3).map { number in
      store.begin(
        Step("\(number)") { $0.total += 1 }, id: "y", pacing: .throttle(for: .seconds(3_600), edges: .leading))
    }
    ends = []
    for run in throttled { ends.append("\(await run.outcome)") }
    #expect(ends == ["completed", "cancelled", "cancelled"])
    await simulation.clock.run()
    #expect(store.total == 1)
  }

  @Test("A wait for a transaction lasts to the transaction's end, even in a cancelled task", .simulated())
  func cancelledWait() async throws {
    let store = try #require(Simulation.current).store(Board(), env: Service())
    let run = store.begin(Step("late") { $0.total += 1 }, id: "x", pacing: .debounce(for: .seconds(5)))
    let wait = Task { await run.outcome }
    wait.cancel()
    #expect("\(await wait.value)" == "completed")
  }

  @Test("The effects of actions that a transaction sends begin when the transaction has been committed")
  func actions() async {
    store.startRecording(checkpointEvery: 1)
    let run = store.begin(
      Step("load") { draft in
        draft.send(.add(2))
        #expect(draft.total == 2)
        try draft.change { $0.total *= 10 }
        draft.send(.load)
      })
    #expect("\(await run.outcome)" == "completed")
    #expect(store.total == 20)
    try? await store.wait(for: \.lines, toEqual: ["text"])
    #expect(store.lines == ["text"])
    let log = store.actionLog
    #expect(log?.count == 4)
    #expect(throws: Never.self) { try log?.replay() }
  }

  @Test("A transaction that is rolled back leaves nothing in the action log")
  func logOfRollback() async throws {
    store.startRecording(checkpointEvery: 1)
    let gate = Gate()
    let run = store.begin(
      Step("fails") { draft in
        draft.send(.add(1))
        try draft.change { if $0.total > 1 { throw Failure() } }
        await gate.pass()
      })
    await gate.arrival()
    store.send(.add(1))
    gate.open()
    #expect("\(await run.outcome)" == "failed: Failure()")
    store.begin(Step("sync") { $0.total += 1 })
    let log = try #require(store.actionLog)
    #expect(log.changes.elementsEqual([.action(.add(1)), .state(Board(total: 2))]))
    #expect(try log.replay() == store.state)
  }

  @Test("Instruments receive a transaction's name, and a commit only if it was committed")
  func instruments() async {
    let events = Note<[String]>([])
    struct Recorder: StoreInstrument {
      let events: Note<[String]>
      func record(_ event: InstrumentEvent) {
        let words = event.description.split(separator: " (")[0]
        events.change { $0.append(String(words)) }
      }
    }
    let store = BoardStore(state: Board(), env: Service(), instrument: Recorder(events: events))
    await store.run(.transaction(Step("spend") { (_: inout Board) in throw Failure() }))
    let early = Step("late") { draft in
      try draft.change { $0.total += 1 }
      throw Failure()
    }
    await store.run(.transaction(early))
    #expect(!events.value.contains { $0.hasPrefix("committed") })
    #expect(events.value.contains("failed \"spend\" task"))
    #expect(events.value.contains("failed \"late\" task"))
    await store.run(.transaction(Step("earn") { $0.total += 1 }))
    await store.run(.transaction(Step("wait") { draft in try draft.change { $0.total += 1 } }))
    #expect(
      events.value.filter { $0.hasPrefix("committed") } == [
        "committed \"earn\" update", "committed \"wait\" update",
      ])
  }

  @Test("Observers are notified of a silent change only with the next commit")
  func silent() {
    let seen = AsyncStore(state: [Int](), env: ())
    seen.bind(id: "total", to: store, on: \.total) { total in .set { $0.append(total) } }
    store.receive(.silently { $0.total = 5 })
    #expect(store.total == 5)
    #expect(seen.state == [0])
    store.send(.keep)
    #expect(seen.state == [0, 5])
  }

  @Test("A closure that uses its own draft stops the program, and says so")
  func draftInItsOwnClosure() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = AsyncStore(state: 1, env: ())
      let run = store.begin(
        StateTransaction<Int, Void>("wrong") { draft in try draft.change { $0 += draft.read { $0 } } })
      _ = await run.outcome
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("used the draft itself"), "\(text)")
  }
}
