import Testing

@testable import AsyncStore

@Suite("The list of effects in flight")
struct InFlightTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("The list of effects in flight names identifier, label, kind, age, parent, deadline and location")
  func listing() throws {
    let store = harness.store()
    let gate = Gate()
    let line = #line + 3
    store.receive(
      .merge(
        .sleep(.seconds(10)),
        .task(id: "fetch") {
          await gate.wait()
          return .none
        },
        Effect.sleep(.seconds(20)).label("nap")
      ).id("outer"))
    harness.advance(by: .seconds(4))
    let inFlight = store.inFlight
    let outer = try #require(inFlight.first)
    #expect(outer.identifier == "outer")
    #expect(outer.parent == nil)
    #expect(outer.depth == 0)
    #expect(outer.kind == .merge)
    #expect(outer.wait.description == "waiting for its children")
    let sleep = try #require(inFlight.first { $0.kind == .sleep && $0.label == nil })
    #expect(sleep.parent == outer.id)
    #expect(sleep.depth == 1)
    #expect(sleep.age == .seconds(4))
    #expect(sleep.remaining == .seconds(6))
    #expect(sleep.detail == "10.0 seconds")
    #expect(sleep.wait.description == "sleeping")
    #expect(sleep.location?.file == "AsyncStoreTests/InFlightTests.swift")
    #expect(sleep.location?.line == line)
    let task = try #require(inFlight.first { $0.identifier == "fetch" })
    #expect(task.kind == .task)
    #expect(task.wait.description == "running")
    #expect(task.remaining == nil)
    #expect(!task.isCancelled)
    let nap = try #require(inFlight.first { $0.label == "nap" })
    #expect(nap.remaining == .seconds(16))
    #expect(inFlight.count == 4)
    #expect(Set(inFlight.map(\.id)).count == 4)
    store.deactivate()
    gate.open()
    harness.settle()
    #expect(store.inFlight.isEmpty)
    #expect(store.inFlight.description.isEmpty)
  }

  @Test("The list of effects in flight has each of several identifiers around one effect")
  func identifiersAroundEachOther() async throws {
    let store = harness.store()
    for number in 1...2 {
      store.receive(
        Effect.concatenate(.sleep(.seconds(9)).id("slot", .queue(capacity: 9)).label("step")).id("order \(number)"))
    }
    #expect(store.inFlight.map(\.identifier) == ["order 1", "slot", "order 2", "slot"])
    #expect(store.inFlight.map(\.depth) == [0, 1, 0, 1])
    #expect(store.inFlight.map(\.wait.description)[3] == "queued, 1st under slot")
    #expect(store.inFlightCount == 4)
    let cancelled = try harness.wait { try await store.shutdown(drain: .zero) }
    #expect(cancelled.compactMap(\.identifier) == ["order 1", "slot", "order 2", "slot"])
  }

  @Test("A task that restarts itself under its identifier keeps its label", arguments: [false, true])
  func labelOfARestartedTask(isAround: Bool) {
    @Sendable func poll(_ round: Int) -> Effect {
      let task = Effect.concatenate(.sleep(.seconds(1)), .task { poll(round + 1) })
      return isAround ? task.id("poll").label("poller") : task.label("poller").id("poll")
    }
    let store = harness.store()
    store.receive(.merge(poll(0), .sleep(.seconds(100))))
    for _ in 0..<3 {
      #expect(store.inFlight.first { $0.identifier == "poll" }?.label == "poller", "\(store.inFlight)")
      harness.advance(by: .seconds(1))
    }
    store.deactivate()
  }

  @Test("The list of effects in flight prints one effect a line, with children indented")
  func printing() {
    let store = harness.store()
    store.receive(Effect.merge(.sleep(.seconds(1)), .sleep(.seconds(2)).label("second")).id("a"))
    harness.advance(by: .milliseconds(500))
    let lines = store.inFlight.description.split(separator: "\n").map { line in
      String(line.prefix { $0 != "(" })
    }
    #expect(
      lines == [
        "[a] merge · waiting for its children · 0.5 seconds old ",
        "  sleep 1.0 seconds · sleeping · 0.5 seconds old · 0.5 seconds left ",
        "  \"second\" sleep 2.0 seconds · sleeping · 0.5 seconds old · 1.5 seconds left ",
      ])
    store.deactivate()
  }

  @Test("An effect that waits in a queue or for a throttle's window is listed as itself, with its place")
  func places() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("x", after: gate).id("search", .queue()))
    store.receive(.log("x").id("search", .queue()))
    store.receive(.sleep(.seconds(1)).id("search", .queue()))
    store.receive(.logTask("first").throttle(for: .seconds(9), id: "x", edges: .trailing))
    harness.settle()
    let waiting = store.inFlight.filter { $0.wait.description.contains("under") }
    #expect(waiting.map(\.kind) == [.set, .sleep, .task])
    #expect(
      waiting.map(\.wait.description) == ["queued, 1st under search", "queued, 2nd under search", "throttled under x"])
    #expect(waiting.map(\.identifier) == ["search", "search", "x"])
    store.deactivate()
    gate.open()
    harness.settle()
  }

  @Test("An effect that has replaced a timeout under its identifier is listed as itself")
  func replacedTimeouts() {
    let store = harness.store()
    func listed(_ effect: Effect) -> [String] {
      store.receive(effect.id("a"))
      return store.inFlight.map { "\($0.kind) \($0.detail) \($0.location?.line ?? 0)" }
    }
    let (nap, first) = (Effect.sleep(.seconds(9)), #line)
    #expect(listed(nap.timeout(.seconds(1))) == ["timeout 1.0 seconds \(first + 1)", "sleep 9.0 seconds \(first)"])
    #expect(listed(nap.timeout(.seconds(2))) == ["timeout 2.0 seconds \(first + 2)", "sleep 9.0 seconds \(first)"])
    #expect(listed(nap) == ["sleep 9.0 seconds \(first)"])
    #expect(listed(nap.timeout(.seconds(3))) == ["timeout 3.0 seconds \(first + 4)", "sleep 9.0 seconds \(first)"])
    store.deactivate()
    #expect(store.inFlight.isEmpty)
  }

  @Test("The count of effects in flight is that of their list, which need not be made for it")
  func count() {
    let store = harness.store()
    #expect(store.inFlightCount == 0)
    store.receive(Effect.merge(.sleep(.seconds(1)), .sleep(.seconds(2)).label("second")).id("a"))
    store.receive(.sleep(.seconds(3)).timeout(.seconds(4)))
    store.receive(.timer(.seconds(1), id: "t") { _ in .none })
    #expect(store.inFlightCount == store.inFlight.count)
    #expect(store.inFlightCount == 6)
    store.deactivate()
    #expect(store.inFlightCount == 0)
  }

  @Test("A cancelled operation that has not returned is listed as such")
  func cancelledOperations() {
    let store = harness.store()
    let gate = Gate()
    store.receive(.logTask("never", after: gate).id("a"))
    harness.settle()
    store.receive(.cancel("a"))
    #expect(store.inFlight.map(\.isCancelled) == [true])
    #expect(store.inFlight.description.contains("cancelled"))
    gate.open()
    harness.settle()
    #expect(store.inFlight.isEmpty)
  }

  @Test("A throttle's window is in flight only as long as a call waits for its end")
  func throttleWindow() {
    let store = harness.store()
    func call(_ line: String) { store.receive(.log(line).throttle(for: .seconds(9), id: "x")) }
    call("1")
    #expect(store.inFlight.isEmpty)
    #expect(store.inFlightCount == 0)
    harness.advance(by: .seconds(2))
    call("2")
    #expect(store.inFlight.map(\.wait.description) == ["throttled under x"])
    #expect(store.inFlight.first?.remaining == .seconds(7))
    #expect(store.inFlightCount == 1)
    harness.advance(by: .seconds(7))
    #expect(store.log == ["1", "2"])
    #expect(store.inFlight.isEmpty)
  }

  @Test("Every kind of wait in flight has a word of its own")
  func statuses() {
    let (store, up) = (harness.store(), harness.store())
    let gate = Gate()
    let (stream, _) = AsyncStream<Int>.makeStream()
    store.receive(.logTask("x", after: gate).id("q", .queue()))
    store.receive(.log("x").id("q", .queue()))
    store.receive(.join("q"))
    store.receive(.log("x").throttle(for: .seconds(9), id: "x"))
    store.receive(.log("x").throttle(for: .seconds(9), id: "x"))
    store.receive(.timer(.seconds(9), id: "t") { _ in .none })
    store.bind(id: "s", stream: stream) { _ in .none }
    store.bind(id: "b", to: up, on: \.count) { _ in .none }
    store.receive(Effect.sleep(.seconds(9)).timeout(.seconds(8)))
    store.receive(.fail("x").retry(.constant(.seconds(9))))
    store.receive(.race(.sleep(.seconds(9)), .sleep(.seconds(9))))
    harness.settle()
    let statuses = Set(store.inFlight.map(\.wait.description))
    for status in [
      "running", "queued, 1st under q", "joining", "throttled under x", "sleeping", "listening",
      "waiting for its children", "backing off",
    ] {
      #expect(statuses.contains(status))
    }
    store.deactivate()
    gate.open()
    harness.settle()
  }
}

@Suite("Instruments")
struct InstrumentTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("An instrument is notified in order of what begins, commits, fails, is cancelled, is dropped and ends")
  func events() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder, mapError: { _ in .log("mapped") })
    store.receive(.concatenate(.log("1"), .logTask("2"), .fail("x"), .sleep(.seconds(1))).id("a"))
    harness.advance(by: .seconds(1))
    #expect(
      recorder.lines.dropLast() == [
        "committed [a] set", "begun [a] task", "settled [a] task: finished", "committed [a] set", "begun [a] task",
        "settled [a] task: failed: x", "failed [a] task: x", "committed [a] set", "begun [a] sleep",
      ])
    recorder.clear()
    let gate = Gate()
    store.receive(.logTask("never", after: gate).id("b"))
    harness.settle()
    store.receive(.log("never").id("b", .keepFirst))
    store.receive(.cancel("b"))
    gate.open()
    harness.settle()
    #expect(recorder.lines.dropLast() == ["begun [b] task", "dropped id", "cancelled [b] task"])
    #expect(recorder.lines.last?.hasSuffix("task: cancelled") == true)
  }

  @Test(
    "Every event for an instrument names its identifier")
  func eventsNameTheirIdentifier() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    store.receive(.concatenate(.log("1"), .sleep(.seconds(1)), .log("2")).id("a"))
    harness.advance(by: .seconds(1))
    store.receive(.log("3").id("b"))
    #expect(
      recorder.lines == [
        "committed [a] set", "begun [a] sleep", "settled [a] sleep: finished", "committed [a] set", "committed [b] set",
      ])
  }

  @Test(
    "The end of every effect that has begun is reported, those of timers and joins too")
  func everyBeginHasAnEnd() {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    store.receive(.sleep(.seconds(1)).id("a"))
    store.receive(.join("a"))
    store.receive(.timer(.seconds(1), id: "t") { _ in .none })
    harness.advance(by: .seconds(1))
    store.receive(.cancel("t"))
    let begun = recorder.lines.filter { $0.hasPrefix("begun") }.count
    #expect(recorder.lines.filter { $0.hasPrefix("settled") }.count == begun)
  }

  @Test("The same tree, state and seed give the same trace; tracing changes nothing")
  func law24_determinism() {
    func run(traced: Bool) -> (log: [String], trace: [String]) {
      let (harness, recorder) = (Harness(), Recorder())
      let store = harness.store(seed: 11, instrument: traced ? recorder : nil, mapError: { .log("\($0)") })
      store.receive(
        .merge(
          effects: (0..<20).map { index in
            Effect.concatenate(
              .logTask("\(index)"),
              Effect.fail("error \(index)").retry(.constant(.seconds(1)).jittered(by: 0.9).limitedTo(attempts: 3)),
              .log("\(index) ends")
            ).id(index % 7, index.isMultiple(of: 2) ? .queue() : .replace)
          }))
      harness.advance(by: .seconds(100))
      return (store.log, recorder.lines)
    }
    let first = run(traced: true)
    let second = run(traced: true)
    #expect(first.log == second.log)
    #expect(first.trace == second.trace)
    #expect(run(traced: false).log == first.log)
    #expect(!first.log.isEmpty)
  }

  final class TalkingName: Hashable, Sendable, CustomStringConvertible {
    let store: JournalStore
    init(_ store: JournalStore) { self.store = store }
    static func == (left: TalkingName, right: TalkingName) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    var description: String { "after \(store.log.count)" }
  }

  @Test("An identifier may ask the store when it is put into words")
  func talkingIdentifier() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: ())
      let (name, pause) = (TalkingName(store), Effect.sleep(.seconds(100)))
      store.receive(.log("x"))
      store.receive(pause.id(name, .queue()))
      store.receive(Effect.log("y").id(name, .queue()))
      store.receive(.join(name))
      let inFlight = store.inFlight
      precondition(
        inFlight.map(\.wait.description) == ["sleeping", "queued, 1st under after 1", "joining"], "\(inFlight)")
      precondition(inFlight.last?.detail == "after 1", "\(inFlight)")
      store.deactivate()
    }
  }

  @Test("Every event for an instrument has a line")
  func descriptions() {
    let record = EffectRecord(
      EventRecord(Effect.sleep(.seconds(1)).summary, number: 1, identifier: "a", label: "label"))
    let tick = TimerTick(Tick(interval: 1, index: 1, missed: 0, due: .zero))
    let kinds: [InstrumentEvent.Kind] = [
      .begun, .settled(.finished), .committed, .cancelled, .failed(Failure("x")), .recovered(Failure("x")),
      .attempted(EffectAttempt(Attempt(number: 1))), .backedOff(attempt: 1, Failure("x"), .zero),
      .attemptsEnded(.finished), .waiting(.place), .waited(.window, .cancelled), .timedOut, .ticked(tick, late: .zero),
      .dropped, .ignored,
      .unsettledBindings(["a", "b"]), .joinCycle(["a", "b"]),
    ]
    let events = kinds.map { InstrumentEvent($0, record, in: StoreIdentity(name: nil, number: 1), at: .zero) }
    #expect(
      events.map { $0.description.split(separator: " ")[0] } == [
        "begun", "settled", "committed", "cancelled", "failed", "recovered", "attempted", "backed", "attempts",
        "waiting", "waited", "timed", "ticked", "dropped", "ignored", "unsettled", "cycle",
      ])
    #expect(record.description.hasPrefix("[a] \"label\" sleep 1.0 seconds (AsyncStoreTests/InFlightTests.swift:"))
  }
}
