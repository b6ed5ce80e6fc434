import AsyncStoreActions
import Testing

@Suite("A transaction that runs as an effect", .timeLimit(.minutes(10)))
struct TransactionEffectTests {
  typealias Step = StateTransaction<Board, Service>

  private let store = BoardStore()
  private let reports: AsyncStream<TransactionReport>

  init() {
    let (reports, report) = AsyncStream.makeStream(of: TransactionReport.self)
    self.reports = reports
    store.install(
      .reportingTransactions { [weak store] in
        // The report may call the store. Under the lock, this would trap.
        _ = store?.total
        report.yield($0)
      })
  }

  private func next(_ count: Int = 1) async -> [TransactionReport] {
    var found: [TransactionReport] = []
    for await report in reports {
      found.append(report)
      if found.count == count { break }
    }
    return found
  }

  private func words(_ reports: [TransactionReport]) -> [String] { reports.map { "\($0.name) \($0.outcome)" } }

  @Test("A transaction effect is reported when it has been committed or has failed")
  func ends() async {
    store.receive(
      .concatenate(
        .transaction(Step("change") { $0.total += 1 }),
        .transaction(Step("operation") { draft in try draft.change { $0.total += 1 } }),
        .transaction(Step("action") { $0.send(.add(1)) }),
        .transaction(Step("wait") { $0.send(.left(.hold("on"))) }).id("wait"),
        .transaction(Step("never") { _ in })))
    #expect(
      words(await next(4)) == ["change completed", "operation completed", "action completed", "wait completed"])
    store.receive(.cancel("wait"))
    #expect(words(await next()) == ["never completed"])
    store.receive(.transaction(Step("fails") { (_: inout Board) in throw Failure() }))
    store.receive(.transaction(Step("throws") { _ in throw Failure() }))
    #expect(Set(words(await next(2))) == ["fails failed: Failure()", "throws failed: Failure()"])
    #expect(store.total == 3)
  }

  @Test("A synchronous transaction effect lets the next effect run in the same call")
  func immediate() {
    store.receive(.concatenate(.transaction(Step("change") { $0.total += 1 }), .send(.log("next"))))
    #expect(store.lines == ["next"])
  }

  @Test("A transaction effect that only reads is reported")
  func reads() async {
    store.receive(.transaction(Step("reads") { draft in _ = draft.total }))
    #expect(words(await next()) == ["reads completed"])
  }

  @Test("A transaction effect stopped by a cancellation or a deactivation is reported once it has returned")
  func cancelled() async {
    for end in [{ @Sendable store in store.receive(.cancel("id")) }, { $0.deactivate() }] as [(BoardStore) -> Void] {
      let gate = Gate()
      store.activate()
      store.receive(
        .transaction(
          Step("slow") { draft in
            try draft.change { $0.total += 1 }
            await gate.pass()
          }
        ).id("id"))
      await gate.arrival()
      end(store)
      gate.open()
      #expect(words(await next()) == ["slow cancelled"])
      #expect(store.total == 0)
    }
  }

  @Test("A transaction effect is reported when its store is gone or another one takes its place")
  func replaced() async throws {
    let (reports, report) = AsyncStream.makeStream(of: String.self)
    var store: BoardStore? = BoardStore()
    store?.install(
      .reportingTransactions { [weak store] in
        _ = store?.total
        report.yield("\($0.name) \($0.outcome)")
      })
    let gate = Gate()
    for name in ["first", "second"] {
      store?.receive(.transaction(Step(name) { _ in await gate.pass() }).id("id"))
      await gate.arrival()
    }
    store = nil
    gate.open()
    var found: Set<String> = []
    for await report in reports {
      found.insert(report)
      if found.count == 2 { break }
    }
    #expect(found == ["first cancelled", "second cancelled"])
  }

  @Test("A transaction effect is a new run each time it is received, and at each attempt")
  func runs() async {
    let effect = BoardStore.Effect.transaction(Step("change") { $0.total += 1 })
    store.receive(effect)
    store.receive(effect)
    let attempts = BoardStore.Effect.transaction(Step("fails") { (_: inout Board) in throw Failure() })
    store.receive(attempts.retry(.constant(.zero).limitedTo(attempts: 3)))
    let reports = await next(5)
    #expect(
      words(reports) == ["change completed", "change completed"] + Array(repeating: "fails failed: Failure()", count: 3)
    )
    #expect(Set(reports.map(\.id)).count == 5)
  }

  @Test("A transaction effect of a part is reported")
  func part() async {
    store.child(\.left).receive(.transaction(StateTransaction("part") { $0.count += 1 }))
    #expect(words(await next()) == ["part completed"])
  }

  /// A clock that is set by hand.
  private struct SetClock: Clock {
    let time = Note(Duration.zero)
    var now: ContinuousClock.Instant { Self.origin.advanced(by: time.value) }
    var minimumResolution: Duration { .zero }
    private static let origin = ContinuousClock.now
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }

  @Test("A transaction that a report begins is reported after that report, and without the report's time")
  func reportInReport() {
    let (store, clock, words) = (BoardStore(), SetClock(), Note<[String]>([]))
    store.install(
      .reportingTransactions(on: clock) { [weak store] report in
        if report.name == "first" {
          store?.begin(Step("second") { $0.total += 1 })
          clock.time.change { $0 += .seconds(5) }
          words.change { $0.append("returned") }
        }
        words.change { $0.append("\(report)") }
      })
    store.begin(Step("first") { $0.total += 1 })
    #expect(words.value == ["returned", "first [0.0 seconds] completed", "second [0.0 seconds] completed"])
  }

  @Test("A long chain of transactions begun by reports does not grow the stack")
  func chain() {
    let (store, depth) = (BoardStore(), Note(0))
    let greatest = Note(0)
    store.install(
      .reportingTransactions { [weak store] _ in
        depth.change { $0 += 1 }
        greatest.change { $0 = max($0, depth.value) }
        if let store, store.total < 100_000 { store.begin(Step("next") { $0.total += 1 }) }
        depth.change { $0 -= 1 }
      })
    store.begin(Step("first") { $0.total += 1 })
    #expect(store.total == 100_000)
    #expect(greatest.value == 1)
  }
}
