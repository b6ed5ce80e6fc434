import Testing

@testable import AsyncStore

@Suite("Laws 19 and 20: lifecycle")
struct LifecycleLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Law 19

  @Test("Deactivate cancels everything, with an identifier or not, with the barrier")
  func law19_deactivateCancelsEverything() {
    let (store, up) = (harness.store(), harness.store())
    let gate = Gate()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let handles = [
      store.receive(.logTask("never", after: gate)), store.receive(.concatenate(.sleep(.seconds(1)), .log("never"))),
      store.receive(.logTask("never", after: gate).id("a")), store.receive(.concatenate(.join("a"), .log("never"))),
      store.receive(.log("never").debounce(for: .seconds(1), id: "d")),
      store.receive(.fail("x").retry(.constant(.seconds(1)))),
    ]
    store.receive(.timer(.seconds(1), id: "t") { _ in .log("never") })
    store.receive(.log("1").throttle(for: .seconds(1), id: "x"))
    store.receive(.log("never").throttle(for: .seconds(1), id: "x"))
    store.bind(id: "s", stream: stream) { _ in .log("never") }
    store.bind(id: "b", to: up, on: \.count) { $0 > 0 ? .log("never") : .none }
    let reader = harness.start { [values = store.values(of: \.count)] in await values.reduce(0) { sum, _ in sum + 1 } }
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect(reader.value == 1, "streams of the store's values end")
    continuation.yield(1)
    up.receive(.set(\.count, to: 1))
    harness.advance(by: .seconds(10))
    #expect(store.inFlight.count == 2, "the two operations that have not returned")
    gate.open()
    harness.settle()
    #expect(store.log == ["1"])
    #expect(handles.map { $0.outcomeIfSettled?.word } == Array(repeating: "cancelled", count: 6))
    #expect(store.remains == [])
    #expect(harness.sleeperCount == 0)
  }

  @Test("Deactivate makes receive a no-op that says so")
  func law19_inactiveStoreIgnores() throws {
    let recorder = Recorder()
    let store = harness.store(instrument: recorder)
    store.deactivate()
    recorder.clear()
    #expect(store.receive(.log("never")).outcomeIfSettled?.word == "inactive")
    #expect(store.receive(.logTask("never")).outcomeIfSettled?.word == "inactive")
    #expect(store.receive(.none).outcomeIfSettled?.word == "inactive")
    #expect(try harness.wait { await store.run(.sleep(.seconds(1))) }.word == "inactive")
    #expect(recorder.lines == ["ignored set", "ignored task", "ignored sleep"])
    #expect(store.log == [])
    #expect(!store.isActive)
    #expect(store.remains == [])
  }

  @Test("Activate takes effects again and revives nothing")
  func law19_activateRevivesNothing() {
    let (store, up) = (harness.store(), harness.store())
    store.receive(.concatenate(.sleep(.seconds(1)), .log("never")))
    store.receive(.timer(.seconds(1), id: "t") { _ in .log("never") })
    store.bind(id: "b", to: up, on: \.count) { $0 > 0 ? .log("never") : .none }
    store.deactivate()
    store.activate()
    #expect(store.isActive)
    up.receive(.set(\.count, to: 1))
    store.receive(.concatenate(.sleep(.seconds(1)), .log("new")))
    harness.advance(by: .seconds(5))
    #expect(store.log == ["new"])
    #expect(store.remains == [])
  }

  @Test("Activate and deactivate are idempotent")
  func law19_idempotent() {
    let store = harness.store()
    store.activate()
    store.activate()
    store.receive(.sleep(.seconds(1)))
    store.deactivate()
    store.deactivate()
    #expect(!store.isActive)
    store.activate()
    store.activate()
    store.receive(.log("1"))
    #expect(store.log == ["1"])
  }

  @Test("An effect may deactivate its own store")
  func law19_deactivateFromAnEffect() {
    let store = harness.store()
    store.receive(
      .concatenate(
        .task { [weak store] in
          store?.deactivate(); return .log("never")
        }, .log("never")))
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  @Test("Stores of different states are shut down together")
  func law19_untypedStores() throws {
    let stores: [AnyAsyncStore] = [harness.store(), harness.store(of: 1, env: "x")]
    try harness.wait { for store in stores { try await store.shutdown() } }
    #expect(stores.allSatisfy { !$0.isActive && $0.inFlight.isEmpty })
  }

  // MARK: Law 20

  @Test("No effect in flight keeps its store alive")
  func law20_effectsDontKeepTheStoreAlive() {
    let gate = Gate()
    let up = harness.store()
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let streamEnded = Note(false)
    continuation.onTermination = { _ in streamEnded.value = true }
    let sawCancel = Note(false)
    var store: JournalStore? = harness.store()
    weak let weakStore = store
    let handle = store!.receive(
      .task {
        await gate.wait()
        sawCancel.value = Task.isCancelled
        return .log("never")
      })
    let sleeping = store!.receive(.sleep(.seconds(100)))
    store?.receive(.timer(.seconds(1), id: "t") { _ in .log("never") })
    store?.bind(id: "s", stream: stream) { .log($0) }
    store?.bind(id: "b", to: up, on: \.count) { .log($0) }
    harness.settle()
    store = nil
    #expect(weakStore == nil)
    harness.settle()
    #expect(streamEnded.value)
    #expect(harness.sleeperCount == 0)
    #expect(sleeping.outcomeIfSettled?.word == "cancelled")
    #expect(!handle.isSettled, "its operation has not returned")
    gate.open()
    harness.settle()
    #expect(sawCancel.value, "dropping the last reference is deactivate")
    #expect(handle.outcomeIfSettled?.word == "cancelled")
  }

  @Test("An operation that captures the store keeps it until it returns")
  func law20_capturedStore() {
    let gate = Gate()
    var store: JournalStore? = harness.store()
    weak let weakStore = store
    store?.receive(
      .task { [store] in
        await gate.wait()
        _ = store
        return .none
      })
    harness.settle()
    store = nil
    #expect(weakStore != nil)
    gate.open()
    harness.settle()
    #expect(weakStore == nil)
  }

  @Test("A store that goes while an operation is queued behind it never starts that operation")
  func law20_droppedBeforeTheFirstInstruction() {
    let ran = Note(false)
    var store: JournalStore? = harness.store()
    let handle = store!.receive(
      .task {
        ran.value = true
        return .none
      })
    store = nil
    harness.settle()
    #expect(!ran.value)
    #expect(handle.outcomeIfSettled?.word == "cancelled")
  }

  @Test("The state is freed with its store, and what effects captured with them")
  func law20_stateAndEffectsAreFreed() {
    struct Owner: Sendable { var canary: Census.Canary? }
    let census = Census()
    let gate = Gate()
    var store: AsyncStore<Owner, Census.Canary>? = harness.store(
      of: Owner(canary: census.canary()), env: census.canary())
    weak let weakStore = store
    store?.receive(
      .concatenate(.sleep(.seconds(1)), .task { [canary = census.canary()] in withExtendedLifetime(canary) { .none } }))
    store?.receive(
      .timer(.seconds(1), id: "t") { [canary = census.canary()] _ in withExtendedLifetime(canary) { .none } })
    store?.receive(
      .task(id: "x") { [canary = census.canary()] in
        await gate.wait()
        return .set { $0.canary = canary }
      })
    harness.settle()
    #expect(census.alive == 5)
    store = nil
    harness.settle()
    #expect(weakStore == nil)
    #expect(census.alive == 2, "the running operation's own, and the environment it runs in")
    gate.open()
    harness.settle()
    #expect(census.alive == 0)
  }

  @Test("At rest the interpreter holds no node, no identifier, no deadline, no closure")
  func law20_nothingRemainsAtRest() {
    let census = Census()
    let (store, up) = (harness.store(mapError: { _ in .none }), harness.store())
    @Sendable func kept(_ effect: Effect) -> Effect {
      let canary = census.canary()
      return .task { withExtendedLifetime(canary) { effect } }
    }
    #expect(store.remains == [])
    store.receive(
      .merge(
        kept(.log("1")).id("a"), kept(.sleep(.seconds(1))).id("b", .queue()), kept(.fail("x")).id("b", .queue()),
        kept(.fail("y")).retry(.constant(.seconds(1)).limitedTo(attempts: 3)),
        kept(.sleep(.seconds(9))).timeout(.seconds(1), else: kept(.none)),
        .race(kept(.sleep(.seconds(1))), kept(.sleep(.seconds(2)))), kept(.fail("z")).recover { _ in .none },
        kept(.none).finally(kept(.none)), kept(.none).throttle(for: .seconds(1), id: "t"),
        .concatenate(.join("b"), kept(.none)),
        kept(.none).label("label"), .update { _ in kept(.none) }, .lift(.sleep(.seconds(1)), to: up)))
    store.bind(id: "binding", to: up, on: \.count) { _ in kept(.none) }
    harness.advance(by: .seconds(20))
    #expect(census.alive == 0)
    #expect(!store.inFlight.isEmpty)
    store.receive(.cancel("binding"))
    harness.settle()
    #expect(store.remains == [])
    #expect(up.remains == [])
    #expect(harness.runnableCount == 0)
    #expect(harness.sleeperCount == 0)
  }

  @Test("A large table is given back at rest")
  func law20_largeTableIsGivenBack() {
    let store = harness.store()
    store.receive(.merge(effects: (0..<10_000).map { _ in .sleep(.seconds(1)) }))
    harness.advance(by: .seconds(1))
    #expect(store.runtime.lock { $0.machine.fibers.count } == 0)
    #expect(store.remains == [])
  }

  @Test("Values of a store do not keep it alive through their iterator")
  func law20_iteratorsDontKeepTheStoreAlive() {
    var store: JournalStore? = harness.store()
    weak let weakStore = store
    let values = harness.start { [weak store] () -> [Int] in
      guard var iterator = store?.values(of: \.count).makeAsyncIterator() else { return [] }
      var values: [Int] = []
      while let value = await iterator.next() { values.append(value) }
      return values
    }
    harness.settle()
    store?.receive(.set(\.count, to: 1))
    store = nil
    #expect(weakStore == nil)
    harness.settle()
    #expect(values.value == [0, 1])
  }

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
    #expect(!handle.isSettled)
    second.open()
    harness.settle()
    #expect(handle.isSettled)
  }
}
