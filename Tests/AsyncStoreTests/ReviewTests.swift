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

  // MARK: Barrier through lift

  @Test("A cancel during a lift's own prefix is a barrier for the lifted effect")
  func liftBarrier() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(
      .lift(.concatenate(.lift(.cancel("x"), to: store), .set(\.count, to: 1)), to: other).id("x"))
    #expect(other.count == 0)
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

  // MARK: Clean-up and replacement

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

}
