import Synchronization
import Testing

@testable import AsyncStore

/// What a review found: each test fails for a reason of its own.
@Suite("Review")
struct ReviewTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @TaskLocal static var value = 0

  // MARK: Strategies

  @Test("Latest: a value that maps to none cancels what the last one started")
  func latestNone() {
    let store = harness.store()
    store.bind(id: "search", to: \.count, strategy: .latest) { count in
      count == 0 ? .none : .concatenate(.sleep(.seconds(1)), .log("found \(count)"))
    }
    store.receive(.set(\.count, to: 1))
    store.receive(.set(\.count, to: 0))
    harness.advance(by: .seconds(2))
    #expect(store.log == [])
  }

  @Test("Serial: what waits still runs after the sequence has thrown")
  func serialThrow() {
    let store = harness.store(mapError: { .log("\($0)") })
    let (stream, source) = AsyncThrowingStream.makeStream(of: Int.self)
    store.bind(id: "s", stream: stream, strategy: .serial) { .concatenate(.sleep(.seconds(1)), .log($0)) }
    source.yield(1)
    source.yield(2)
    source.yield(3)
    source.finish(throwing: Failure("x"))
    harness.advance(by: .seconds(9))
    #expect(store.log.filter { $0 != "x" } == ["1", "2", "3"])
  }

  // MARK: Barrier through lift

  @Test("A cancel during a lift's own prefix is a barrier for the lifted effect")
  func liftBarrier() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(
      .lift(.concatenate(.lift(.cancel("x"), to: store), .set(\.count, to: 1)), to: other).id("x"))
    #expect(other.count == 0)
  }

  // MARK: finally

  @Test("An outer finally comes after the inner one, also after a cancel (sets)")
  func nestedFinallySets() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).finally(.log("inner")).finally(.log("outer")).id("x"))
    store.receive(.cancel("x"))
    harness.settle()
    #expect(store.log == ["inner", "outer"])
  }

  @Test("An outer finally comes after the inner one, also after a cancel (waits)")
  func nestedFinallyWaits() {
    let store = harness.store()
    store.receive(
      .sleep(.seconds(9)).finally(.concatenate(.sleep(.seconds(1)), .log("inner"))).finally(.log("outer")).id("x"))
    store.receive(.cancel("x"))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["inner", "outer"])
  }

  // MARK: Outcomes

  @Test("The cancel of the last member of a concatenate is not a cancel of the whole")
  func tailCancel() {
    let store = harness.store()
    let handle = store.receive(.concatenate(.log("1"), .sleep(.seconds(9)).id("pause")))
    store.receive(.cancel("pause"))
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("A race's member whose last part was cancelled has settled, and wins")
  func tailCancelInRace() {
    let store = harness.store()
    let handle = store.receive(
      .race(.concatenate(.log("1"), .sleep(.seconds(9)).id("pause")), .concatenate(.sleep(.seconds(5)), .log("2"))))
    store.receive(.cancel("pause"))
    #expect(handle.isFinished)
    harness.advance(by: .seconds(9))
    #expect(store.log == ["1"])
  }

  @Test("A tree whose first part was committed was not dropped")
  func tailDrop() {
    let store = harness.store()
    store.receive(.sleep(.seconds(9)).id("a"))
    let handle = store.receive(.concatenate(.log("1"), .log("2").id("a", .keepFirst)))
    #expect(store.log == ["1"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  // MARK: Law 22

  @Test("A finally of a cancelled tree has the tree's task-local values after a wait")
  func finallyLocals() {
    let store = harness.store()
    let handle = Self.$value.withValue(7) {
      store.receive(
        .sleep(.seconds(9)).finally(
          .concatenate(.task { .log("a \(Self.value)") }, .sleep(.seconds(1)), .task { .log("b \(Self.value)") })))
    }
    handle.cancel()
    harness.advance(by: .seconds(2))
    #expect(store.log == ["a 7", "b 7"])
  }

  @Test("What a cancelled tree's error maps to has the tree's task-local values after a wait")
  func mappedLocals() {
    let store = harness.store(mapError: { _ in .concatenate(.sleep(.seconds(1)), .task { .log("\(Self.value)") }) })
    let gate = Gate()
    let handle = Self.$value.withValue(7) {
      store.receive(
        .task {
          try await gate.waitUnlessCancelled()
          return .none
        })
    }
    harness.settle()
    handle.cancel()
    harness.advance(by: .seconds(2))
    #expect(store.log == ["7"])
  }

  // MARK: Law 24

  @Test("Tracing changes no trace, with errors and late deadlines")
  func tracing() {
    func log(_ instrument: (any Instrument)?) -> [String] {
      let harness = Harness()
      let store = harness.store(instrument: instrument)
      store.receive(
        .concatenate(.race(.fail("x"), .sleep(.seconds(100)).id("m"), goal: .firstToSucceed), .log("after race")))
      store.receive(.concatenate(.sleep(.seconds(1)), .cancel("m")))
      store.receive(.concatenate(.sleep(.seconds(2)), .log("two")))
      harness.jump(by: .seconds(3))
      return store.log
    }
    #expect(log(nil) == log(Recorder()))
  }

  // MARK: Instruments

  final class Nested: Instrument {
    struct State { var depth = 0, most = 0; var store: JournalStore? }
    let state = Mutex(State())
    func record(_ event: InstrumentEvent) {
      let store = state.withLock { state -> JournalStore? in
        state.depth += 1
        state.most = max(state.most, state.depth)
        return state.store
      }
      if case .cancelled = event { store?.receive(.log("late")) }
      state.withLock { $0.depth -= 1 }
    }
  }

  @Test("An instrument is called once at a time")
  func nestedInstrument() {
    let nested = Nested()
    let store = harness.store(instrument: nested)
    let gate = Gate()
    nested.state.withLock { $0.store = store }
    store.receive(.logTask("never", after: gate))
    store.deactivate()
    harness.settle()
    #expect(nested.state.withLock { $0.most } == 1)
    nested.state.withLock { $0.store = nil }
    gate.open()
    harness.settle()
  }

  // MARK: Actor-bound

  actor Place {}

  @Test("A reader of a store that is bound to an actor ends with the store")
  func boundReader() {
    let place = Place()
    var store: JournalStore? = harness.store(isolation: place)
    let iterator = store!.values(of: \.count).makeAsyncIterator()
    let (reader, lease) = (iterator.reader, iterator.lease)
    store = nil
    let reading = harness.start {
      while await reader.next() != nil {}
      withExtendedLifetime(lease) {}
    }
    harness.settle()
    #expect(reading.isFinished)
  }

  @Test("A binding ends with its upstream that is bound to an actor")
  func boundUpstream() {
    let place = Place()
    var upstream: JournalStore? = harness.store(isolation: place)
    let downstream = harness.store()
    downstream.bind(id: "b", to: upstream!, on: \.count) { .log($0) }
    upstream = nil
    harness.settle()
    #expect(downstream.inFlight.isEmpty)
  }

  // MARK: Orphans

  @Test("A handle outlasts its store until the tree's operations have returned")
  func orphans() {
    let (first, second) = (Gate(), Gate())
    var store: JournalStore? = harness.store(mapError: { _ in
      .task {
        await first.wait()
        return .none
      }
    })
    let cancelled = Gate()
    let isRunning = Note(true)
    let handle = store!.receive(
      .merge(
        .task {
          try await cancelled.waitUnlessCancelled()
          return .none
        },
        .task {
          await second.wait()
          isRunning.value = false
          return .none
        }))
    harness.settle()
    handle.cancel()
    harness.settle()
    #expect(first.waiterCount == 1)
    store = nil
    harness.settle()
    first.open()
    harness.settle()
    #expect(isRunning.value)
    #expect(!handle.isFinished)
    second.open()
    harness.settle()
    #expect(handle.isFinished)
  }

  // MARK: At most n

  @Test("At most one operation runs, also after a cancel")
  func atMost() {
    let store = harness.store()
    let gate = Gate()
    let running = Note(0)
    let most = Note(0)
    let operation = Effect.task {
      running.change { $0 += 1 }
      most.value = max(most.value, running.value)
      await gate.wait()
      running.change { $0 -= 1 }
      return .none
    }
    let handle = store.receive(operation.id("x", .atMost(1)))
    store.receive(operation.id("x", .atMost(1)))
    harness.settle()
    handle.cancel()
    harness.settle()
    #expect(most.value == 1)
    gate.open()
    harness.settle()
  }

  // MARK: Small leaks

  @Test("A join that was cancelled leaves nothing")
  func joiners() {
    let store = harness.store()
    store.receive(.sleep(.seconds(1_000_000)).id("server"))
    for _ in 0..<1000 {
      store.receive(.join("server")).cancel()
    }
    let count = store.core.withLock { $0.machine.registrations.compactMap { $0 }.reduce(0) { $0 + $1.joiners.count } }
    #expect(count == 0)
  }

  @Test("Identifiers that are not equal are not under each other")
  func identifiers() {
    let (a, b) = (EffectID(1), EffectID(UInt8(1)))
    #expect((a == b) == a.isUnder(b))
  }

  @Test("Jitter keeps the limit in time")
  func jitter() {
    let schedule = RetrySchedule.constant(.seconds(4)).limitedTo(elapsed: .seconds(4)).jittered(by: 0.5)
    var generator = SplitMix64(seed: 1)
    for _ in 0..<20 {
      if let delay = schedule.delay(afterAttempt: 1, elapsed: .zero, using: &generator) {
        #expect(delay <= .seconds(4))
      }
    }
  }

  // MARK: Clean-up and replacement

  @Test("The finally of the one that is replaced comes before the new one")
  func replacedFinally() {
    let store = harness.store()
    let edit = Effect.concatenate(.log("begin"), .sleep(.seconds(60))).finally(.log("end")).id("edit")
    store.receive(edit)
    store.receive(edit)
    #expect(store.log == ["begin", "end", "begin"])
  }

  @Test("Replace after clean-up waits for a finally")
  func replacedAfterFinally() {
    let store = harness.store()
    let edit = Effect.concatenate(.log("begin"), .sleep(.seconds(60)))
      .finally(.concatenate(.sleep(.seconds(1)), .log("end"))).id("edit", .replaceAfterCleanup)
    store.receive(edit)
    store.receive(edit)
    harness.advance(by: .seconds(2))
    #expect(store.log == ["begin", "end", "begin"])
  }

  @Test("A join waits for the finally of what was cancelled")
  func joinFinally() {
    let store = harness.store()
    store.receive(.sleep(.seconds(60)).finally(.concatenate(.sleep(.seconds(1)), .log("end"))).id("x"))
    store.receive(.cancel("x"))
    store.receive(.concatenate(.join("x"), .log("joined")))
    harness.advance(by: .seconds(2))
    #expect(store.log == ["end", "joined"])
  }

  @Test("A handle holds no task-local values once its detached parts have ended")
  func parked() {
    let store = harness.store()
    let census = Census()
    let handle = Box.$value.withValue(census.canary()) { store.receive(.timer(.seconds(1), id: "t") { _ in .none }) }
    store.receive(.cancel("t"))
    harness.settle()
    #expect(store.remains == [])
    #expect(census.alive == 0)
    withExtendedLifetime(handle) {}
  }

  enum Box { @TaskLocal static var value: Census.Canary? }

  @Test("With mapError too, what follows from a deadline comes before a later deadline")
  func mappedInOrder() {
    let store = harness.store(mapError: { _ in .log("mapped") })
    store.receive(.concatenate(.race(.fail("x"), .sleep(.seconds(100)).id("m"), goal: .firstToSucceed)))
    store.receive(.concatenate(.sleep(.seconds(1)), .cancel("m")))
    store.receive(.concatenate(.sleep(.seconds(2)), .log("two")))
    harness.jump(by: .seconds(3))
    #expect(store.log == ["mapped", "two"])
  }

  @Test("What a stream's error maps to does not wait for the effects of the stream's values")
  func streamErrorAtOnce() {
    let store = harness.store(mapError: { .log("\($0)") })
    let (stream, source) = AsyncThrowingStream.makeStream(of: Int.self)
    store.receive(.stream(stream) { _ in .sleep(.seconds(60)) })
    source.yield(1)
    source.finish(throwing: Failure("x"))
    harness.settle()
    #expect(store.log == ["x"])
  }

  // MARK: In processes of their own, because they crash

  struct Parent: Sendable {
    var child: JournalStore?
    var count = 0
  }

  @Test("A mutation may let go of the last reference to a store that is bound to its own")
  func stateHoldsBoundStore() async {
    await #expect(processExitsWith: .success) {
      let parent = AsyncStore<Parent, Void>(state: Parent(), env: ())
      do {
        let child = JournalStore(state: Journal(), env: ())
        child.bind(id: "b", to: parent, on: \.count) { .set(\.count, to: $0) }
        parent.receive(.set(\.child, to: child))
      }
      parent.receive(.set(\.child, to: nil))
    }
  }

  @Test("An effect may hold the last reference to a store that is bound to its own")
  func effectHoldsBoundStore() async {
    await #expect(processExitsWith: .success) {
      let parent = JournalStore(state: Journal(), env: ())
      var child: JournalStore? = JournalStore(state: Journal(), env: ())
      child!.bind(id: "b", to: parent, on: \.count) { .set(\.count, to: $0) }
      let handle = parent.receive(.concatenate(.sleep(.seconds(100)), .lift(.log("x"), to: child!)))
      child = nil
      handle.cancel()
    }
  }

  final class Guardian: Sendable {
    let store: JournalStore
    init(_ store: JournalStore) { self.store = store }
    deinit { store.receive(.log("released")) }
  }

  @Test("What an effect captured may call the store when it is let go of")
  func captureCallsStore() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: ())
      var guardian: Guardian? = Guardian(store)
      let handle = store.receive(
        .concatenate(.sleep(.seconds(100)), .task { [guardian] in .log("\(guardian == nil)") }))
      guardian = nil
      handle.cancel()
    }
  }

  @Test("A circle that never settles does not keep its store alive")
  func unsettledCircleLetsGo() async {
    await #expect(processExitsWith: .success) {
      weak var last: JournalStore?
      do {
        let store = JournalStore(state: Journal(), env: ())
        last = store
        store.bind(id: "b", to: \.count) { .set(\.count, to: $0 &+ 1) }
      }
      // Real time, because the circle goes on in a task of the global executor.
      try await Task.sleep(for: .milliseconds(500))
      try #require(last == nil)
    }
  }

  @Test("Nested retries need no stack")
  func law23_nestedRetries() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: (), mapError: { .log("\($0)") })
      var effect = Effect.fail("x")
      for _ in 0..<1_000 { effect = effect.retry(.constant(.zero).limitedTo(attempts: 0)) }
      await store.run(effect)
    }
  }

  @Test("Labelled lifts in a row need no stack")
  func law23_labelledLifts() async {
    await #expect(processExitsWith: .success) {
      let (store, other) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
      let lifts = (0..<10_000).map { _ in Effect.lift(.set { $0.count += 1 }, to: other).named("count") }
      await store.run(.concatenate(effects: lifts))
    }
  }

  @Test("A merge of lifts with a limit needs no stack")
  func law23_limitedLifts() async {
    await #expect(processExitsWith: .success) {
      let (store, other) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
      let lifts = (0..<10_000).map { _ in Effect.lift(.set { $0.count += 1 }, to: other) }
      await store.run(.merge(effects: lifts, limit: 1))
    }
  }

  @Test("Nested lifts need no stack")
  func law23_nestedLifts() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: ())
      var effect = Effect.log("x")
      for _ in 0..<100_000 { effect = .lift(effect, to: store) }
      await store.run(effect)
    }
  }

  @Test("A mutation may call a store that its own is bound to")
  func mutationCallsUpstream() async {
    await #expect(processExitsWith: .success) {
      let (store, other) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
      store.bind(id: "b", to: other, on: \.count) { .set(\.other, to: $0) }
      store.receive(.set { _ in other.receive(.set(\.count, to: 1)) })
    }
  }

  @Test("A timer survives a clock that jumps to the end of time")
  func endOfTime() async {
    await #expect(processExitsWith: .success) {
      let harness = Harness()
      let store = harness.store()
      store.receive(.timer(.seconds(1), id: "t") { tick in .set(\.count, to: tick.index) })
      harness.jump(by: .seconds(10_000_000_000))
    }
  }

  @Test("What a handler answers fails past that handler, also where it takes its scope's place")
  func handlerOfItsOwn() {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let calls = Note(0)
    store.receive(
      Effect.merge(.fail("x"), .sleep(.seconds(9))).id("a").recover { _ in
        calls.change { $0 += 1 }
        return calls.value < 5 ? Effect.fail("y").id("a") : .none
      })
    harness.advance(by: .seconds(10))
    #expect(calls.value == 1)
    #expect(store.log == ["mapped y"])
  }
}
