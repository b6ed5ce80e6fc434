import Synchronization
import Testing

@testable import AsyncStore

@Suite("An instrument")
struct InstrumentInterestTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()
  let notes = Notes()

  final class Notes: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    func add(_ line: String) { kept.withLock { $0.append(line) } }
  }

  /// Notes each commit with the counts before and after it.
  struct Counts: StoreInstrument {
    let notes: Notes
    let interests: InstrumentInterests = .states
    func record(_ event: InstrumentEvent) { notes.add("event") }
    func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State) {
      guard let old = old as? Journal, let new = new as? Journal else { return }
      notes.add("\(commit.effect?.effect.kind.rawValue ?? "-") \(old.count) \(new.count)")
    }
  }

  /// Wants some kinds of events.
  struct Picky: StoreInstrument {
    let recorder = Recorder()
    let events: EventKinds
    func record(_ event: InstrumentEvent) { recorder.record(event) }
    var lines: [String] { recorder.events.map(\.words) }
  }

  /// Has a store do what leads to events of most kinds.
  private func exercise(_ instrument: some StoreInstrument) {
    let store = harness.store(instrument: instrument)
    let attempts = Notes()
    let flaky = Effect.task {
      attempts.add("")
      if attempts.lines.count % 2 == 1 { throw Failure("x") }
      return .set(\.count, to: 1)
    }
    store.receive(flaky.retry(.constant(.seconds(1)).limitedTo(attempts: 2)))
    store.receive(.concatenate(.task { .task { .none } }, .task { .none }, .fail("y")))
    store.receive(.fail("z").recover { _ in .none })
    store.receive(.sleep(.seconds(9)).timeout(.seconds(2)))
    store.receive(.timer(.seconds(1), id: "t") { _ in .none })
    store.receive(.sleep(.seconds(1)).id("q", .queue(capacity: 1)))
    store.receive(.sleep(.seconds(1)).id("q", .queue(capacity: 1)))
    store.receive(.sleep(.seconds(1)).id("q", .queue(capacity: 1)))
    _ = store.update { $0.count = 5 }
    store.receive(.set(\.count, to: 6))
    store.receive(Effect.concatenate(.join("b"), .none).id("a"))
    store.receive(.join("a").id("b"))
    harness.advance(by: .seconds(2))
    let gate = Gate()
    store.receive(Effect.logTask("never", after: gate).id("h"))
    harness.settle()
    store.deactivate()
    gate.open()
    harness.settle()
    store.receive(.none)
    store.receive(.set(\.count, to: 7))
    _ = store.update { $0.count = 8 }
  }

  @Test("An instrument is notified of the states of commits even if it wants no events")
  func statesOnly() {
    struct States: StoreInstrument {
      let notes: Notes
      let interests: InstrumentInterests = .states
      let events: EventKinds = []
      func record(_ event: InstrumentEvent) { notes.add("event") }
      func record<State: Sendable>(_ commit: InstrumentEvent, from old: State, to new: State) { notes.add("states") }
    }
    harness.store(instrument: States(notes: notes)).receive(.set(\.count, to: 1))
    #expect(notes.lines == ["states"])
  }

  @Test("An instrument is notified of the kinds of events that it wants, and of no others", arguments: 0..<17)
  func kinds(bit: UInt32) {
    let all = Picky(events: .all)
    exercise(all)
    let kind = EventKinds(rawValue: 1 << bit)
    let expected = all.recorder.events.filter { $0.kind.asSet == kind }.map(\.words)
    let picky = Picky(events: kind)
    exercise(picky)
    #expect(picky.lines == expected)
    let (first, second) = (Picky(events: kind), Picky(events: .all))
    exercise(CombinedInstrument(first, second))
    #expect(first.lines == expected)
    #expect(second.lines == all.lines)
  }

  @Test("An instrument is lent the states before and after each commit, in order, if it wants them")
  func states() {
    let store = harness.store(instrument: Counts(notes: notes))
    store.receive(.set(\.count, to: 1))
    store.receive(
      .concatenate(
        .set(\.count, to: 2), .set(\.count, to: 3),
        .update {
          $0.count = 4; return .none
        }))
    _ = store.update { $0.count = 5 }
    store.receive(.read { _ in .none })
    #expect(notes.lines == ["set 0 1", "set 1 2", "set 2 3", "update 3 4", "update 4 5"])
  }

  @Test("An instrument is lent states that follow each other, whatever makes the commits")
  func statesOfAllCommits() {
    let up = harness.store()
    let store = harness.store(instrument: Counts(notes: notes))
    let increment = Effect.update {
      $0.count += 1; return .none
    }
    store.bind(id: "b", to: up, on: \.count) { .set(\.count, to: 100 + $0) }
    store.receive(.timer(.seconds(1), id: "t") { .set(\.count, to: 200 + Int($0.index)) })
    store.receive(.task { increment }.retry(.constant(.seconds(1)).limitedTo(attempts: 2)).finally(increment))
    store.receive(.concatenate(.sleep(.seconds(2)), .set(\.count, to: 300), increment).timeout(.seconds(9)))
    for step in 1...3 {
      harness.advance(by: .seconds(1))
      up.receive(.set(\.count, to: step))
      _ = store.update { $0.count -= 1 }
      store.receive(.set(\.count, to: 400 + step))
      harness.settle()
    }
    let counts = notes.lines.filter { $0 != "event" }.map { $0.split(separator: " ").compactMap { Int($0) } }
    #expect(counts.count >= 15)
    #expect(counts.first?.first == 0 && counts.last?.last == store.count)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0.last == $1.first })
  }

  final class Token: Sendable {}
  struct Holder: Sendable { var token: Token? }

  @Test("An instrument keeps no state alive, neither an earlier one nor that of a store that is gone")
  func released() {
    weak var (earlier, last): (Token?, Token?)
    let gate = Gate()
    var store: AsyncStore<Holder, Void>? = harness.store(
      of: Holder(token: nil), env: (), instrument: Counts(notes: notes))
    // It goes on when the store is gone, and holds the runtime.
    store?.receive(
      .task {
        await gate.wait(); return .none
      })
    harness.settle()
    do {
      let (first, second) = (Token(), Token())
      (earlier, last) = (first, second)
      store?.receive(.set(\.token, to: first))
      store?.receive(.set(\.token, to: second))
    }
    #expect(earlier == nil && last != nil)
    store = nil
    #expect(last == nil)
    gate.open()
    harness.settle()
  }

  /// Keeps what the events are about, and not the events.
  final class RecordKeeper: StoreInstrument {
    let records = Mutex<[EffectRecord]>([])
    func record(_ event: InstrumentEvent) { if let effect = event.effect { records.withLock { $0.append(effect) } } }
  }

  @Test("An instrument that keeps the records of effects keeps no error alive")
  func releasedError() {
    struct Failure: Error { let token: Token }
    weak var token: Token?
    let keeper = RecordKeeper()
    let store = harness.store(instrument: keeper)
    do {
      let failure = Failure(token: Token())
      token = failure.token
      store.receive(.task { throw failure })
    }
    harness.settle()
    #expect(keeper.records.withLock { $0.count } >= 3)
    #expect(token == nil)
  }

  enum Span { @TaskLocal static var path = "" }

  /// Wraps operations, and notes their outcomes.
  struct Spans: StoreInstrument {
    let name: String
    let notes: Notes
    let interests: InstrumentInterests = .operations
    func record(_ event: InstrumentEvent) {}
    func wrapOperation(
      _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
    ) async {
      let outcome = await Span.$path.withValue(Span.path + name) { await body() }
      notes.add("\(name) \(operation.label ?? "-") \(operation.attempt?.number ?? 0) \(outcome.word)")
    }
  }

  @Test("An instrument runs an operation inside of the operation's task, where task-local values can be set")
  func operations() {
    let store = harness.store(instrument: Spans(name: "a", notes: notes))
    store.receive(
      .concatenate(
        .task { .log("in \(Span.path)") },
        .update {
          $0.log.append(Span.path); return .none
        }))
    harness.settle()
    #expect(store.log == ["in a", ""])
    store.receive(.fail("x").label("failing").retry(.constant(.zero).limitedTo(attempts: 2)))
    harness.settle()
    let gate = Gate()
    let handle = store.receive(.logTask("never", after: gate).label("cancelled"))
    harness.settle()
    handle.cancel()
    gate.open()
    harness.settle()
    #expect(
      notes.lines == [
        "a - 0 finished", "a failing 1 failed: x", "a failing 2 failed: x", "a cancelled 0 cancelled",
      ])
  }

  /// Notes the lines of the operations that it wraps, and is told of nothing, so that operations follow fast.
  struct Lines: StoreInstrument {
    let notes: Notes
    let interests: InstrumentInterests = .operations
    let events: EventKinds = []
    func record(_ event: InstrumentEvent) {}
    func wrapOperation(
      _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
    ) async {
      notes.add("\(operation.effect.location?.line ?? 0) \(operation.attempt?.number ?? 0)")
      _ = await body()
    }
  }

  @Test("An instrument gets the record of each operation that a task runs, and not that of an earlier one")
  func operationsInARow() {
    let (store, other) = (harness.store(instrument: Lines(notes: notes)), harness.store())
    let schedule = RetrySchedule.constant(.zero).limitedTo(attempts: 2)
    func at(_ line: UInt, _ effect: JournalStore.Effect) -> JournalStore.Effect {
      .task({ effect }, file: #fileID, line: line)
    }
    store.receive(
      .concatenate(
        at(1, .none).retry(schedule),
        at(2, .none),
        .sequence(
          at(3, .none).timeout(.seconds(1), else: .none).retry(schedule),
          at(4, at(5, .none)),
          at(6, .log("last"))),
        at(7, .none),
        at(8, .lift(.logTask("lifted"), to: other)),
        at(9, .none)))
    harness.settle()
    #expect(store.log == ["last"] && other.log == ["lifted"])
    #expect(notes.lines == ["1 1", "2 0", "3 1", "4 0", "5 0", "6 0", "7 0", "8 0", "9 0"])
  }

  /// An identifier whose end reads from a store.
  final class ReadingIdentifier: Hashable, Sendable {
    let store: JournalStore
    let notes: Notes

    init(_ store: JournalStore, _ notes: Notes) { (self.store, self.notes) = (store, notes) }
    deinit { notes.add("released after \(store.log)") }
    static func == (left: ReadingIdentifier, right: ReadingIdentifier) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  @Test(
    "No identifier is released under the store's lock while an instrument wraps operations", arguments: [false, true])
  func releasedIdentifiers(isStarted: Bool) {
    let store = harness.store(instrument: Lines(notes: notes))
    let gate = Gate()
    do {
      let operation = JournalStore.Effect.logTask("never", after: gate).id(ReadingIdentifier(store, notes))
      let all = JournalStore.Effect.concatenate(
        .task { operation }.finally(.task { .log("cleaned up") }), .task { .log("next") })
      let handle = store.receive(all.id("all"))
      if isStarted { harness.settle() }
      store.receive(.cancel("all"))
      gate.open()
      harness.settle()
      withExtendedLifetime(handle) {}
    }
    harness.settle()
    store.receive(.task { .none })
    harness.settle()
    #expect(notes.lines.filter { $0.hasPrefix("released") }.count == 1)
  }

  @Test("Several instruments are each notified of everything, in the given order, and the first wraps the others")
  func combined() {
    let recorder = Recorder()
    let instrument = CombinedInstrument(
      Spans(name: "a", notes: notes), recorder, Counts(notes: notes), Spans(name: "b", notes: notes))
    let store = harness.store(instrument: instrument)
    store.receive(.task { .log(Span.path) })
    harness.settle()
    #expect(store.log == ["ab"])
    #expect(notes.lines == ["event", "b - 0 finished", "a - 0 finished", "event", "set 0 0"])
    #expect(recorder.lines == ["begun task", "settled task: finished", "committed set"])
  }

  @Test("Combined instruments may be combined, and wrap operations from the outside in")
  func nested() {
    func spans(_ name: String) -> Spans { Spans(name: name, notes: notes) }
    let inner = CombinedInstrument(spans("b"), CombinedInstrument(), CombinedInstrument(spans("c"), spans("d")))
    let store = harness.store(instrument: CombinedInstrument(spans("a"), inner, spans("e")))
    store.receive(.task { .log(Span.path) })
    store.receive(.fail("x").label("failing"))
    harness.settle()
    #expect(store.log == ["abcde"])
    #expect(notes.lines.filter { $0.contains(" - ") } == ["e", "d", "c", "b", "a"].map { "\($0) - 0 finished" })
    #expect(
      notes.lines.filter { $0.contains("failing") } == ["e", "d", "c", "b", "a"].map { "\($0) failing 0 failed: x" })
  }

  /// Asks for operations and has no method for them.
  struct Forgetting: StoreInstrument {
    let interests: InstrumentInterests = .operations
    func record(_ event: InstrumentEvent) {}
    /// An earlier signature, or a slip.
    func wrapOperation(_ operation: EffectRecord, of store: StoreIdentity, _ body: () async -> EffectOutcome) async {}
  }

  @Test("An instrument that asks for operations and has no method for them traps with a message that names the method")
  func forgetting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = JournalStore(state: Journal(), env: (), instrument: Forgetting())
      await store.run(.logTask("x"))
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Forgetting has the interest `operations`, but no method `wrapOperation"), "\(words)")
  }

  /// Calls the body when its method has returned.
  final class Late: StoreInstrument {
    let interests: InstrumentInterests = .operations
    // `nonisolated(unsafe)`: written once, before the only effect settles, and read by the task that has awaited it.
    private nonisolated(unsafe) var body: OperationBody?
    func record(_ event: InstrumentEvent) {}
    func wrapOperation(_ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody) async {
      await body()
      self.body = body
    }
    func callAgain() async { await body?() }
  }

  @Test("The body of an operation can't be called when the instrument's method has returned")
  func late() async {
    await #expect(processExitsWith: .failure) {
      let late = Late()
      let store = JournalStore(state: Journal(), env: (), instrument: late)
      await store.run(.logTask("x"))
      await late.callAgain()
    }
  }

  @Test("An instrument that keeps the body of an operation keeps nothing of the operation")
  func keptBody() async {
    let late = Late()
    let store = JournalStore(state: Journal(), env: (), instrument: late)
    weak var captured: Notes?
    do {
      let notes = Notes()
      captured = notes
      await store.run(
        .task {
          notes.add("run")
          return .set { _ in notes.add("set") }
        })
      #expect(notes.lines == ["run", "set"])
    }
    #expect(captured == nil)
    withExtendedLifetime(late) {}
  }

  /// Calls the body a number of times.
  struct Miscounting: StoreInstrument {
    let count: Int
    let interests: InstrumentInterests = .operations
    func record(_ event: InstrumentEvent) {}
    func wrapOperation(
      _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
    ) async {
      for _ in 0..<count { _ = await body() }
    }
  }

  @Test("An instrument has to run an operation once")
  func miscounting() async {
    await #expect(processExitsWith: .failure) {
      let store = JournalStore(state: Journal(), env: (), instrument: Miscounting(count: 0))
      await store.run(.logTask("x"))
    }
    await #expect(processExitsWith: .failure) {
      let store = JournalStore(state: Journal(), env: (), instrument: Miscounting(count: 2))
      await store.run(.logTask("x"))
    }
  }
}
