import Testing

@testable import AsyncStore

@Suite("Lifts")
struct LiftTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("A lifted effect is waited for, and what follows it runs")
  func concatenateGoesOnAfterALift() throws {
    let (store, other) = (harness.store(), harness.store())
    let handle = store.receive(.concatenate(.lift(.log("there"), to: other), .logTask("here")))
    harness.settle()
    #expect(other.log == ["there"])
    #expect(store.log == ["here"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }

  @Test("A lift follows a task")
  func liftAfterATask() throws {
    let (store, other) = (harness.store(), harness.store())
    store.receive(
      .concatenate(
        .logTask("1"), .lift(.concatenate(.sleep(.seconds(1)), .log("2")), to: other), .logTask("3"),
        .lift(.log("4"), to: other)))
    harness.settle()
    #expect(store.log == ["1"])
    harness.advance(by: .seconds(1))
    #expect(store.log == ["1", "3"])
    #expect(other.log == ["2", "4"])
    #expect(store.remains == [])
    #expect(other.remains == [])
  }

  @Test("Cancelling the outer tree cancels the lifted one at once")
  func cancelReachesTheOtherStore() {
    let (store, other) = (harness.store(), harness.store())
    let gate = Gate()
    store.receive(.concatenate(.logTask("1"), .lift(.logTask("never", after: gate), to: other)).id("a"))
    harness.settle()
    store.receive(.cancel("a"))
    gate.open()
    harness.settle()
    #expect(other.log == [])
    #expect(store.inFlight.isEmpty)
    #expect(other.inFlight.isEmpty)
  }

  @Test(
    "Effects that a lifted effect leaves running in the other store end with the scope of the lift",
    arguments: [Ending.byHandle, .byIdentifier, .byDeactivation, .byRelease])
  func detachedPartsBelongToTheLift(ending: Ending) {
    let other = harness.store()
    var store: JournalStore? = harness.store()
    let timer = JournalStore.Effect.timer(.seconds(1), id: "timer") { _ in .log("tick") }
    let handle = store?.receive(.concatenate(.lift(timer, to: other), .log("here")).id("a"))
    harness.advance(by: .seconds(1))
    #expect(handle?.outcomeIfSettled?.word == "finished" && store?.log == ["here"])
    #expect(other.log == ["tick"])
    switch ending {
    case .byHandle: handle?.cancel()
    case .byIdentifier: store?.receive(.cancel("a"))
    case .byDeactivation: store?.deactivate()
    case .byRelease: store = nil
    }
    #expect(other.inFlight.isEmpty)
    harness.advance(by: .seconds(2))
    #expect(other.log == ["tick"])
    #expect(store?.remains ?? [] == [] && other.remains == [])
  }

  enum Ending { case byHandle, byIdentifier, byDeactivation, byRelease }

  @Test("An effect that the other store ends by itself leaves nothing behind in the store that lifted it")
  func detachedPartsThatEnd() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(.lift(.timer(.seconds(1), id: "timer") { _ in .log("tick") }, to: other))
    harness.settle()
    #expect(store.inFlight.count == 1)
    other.receive(.cancel("timer"))
    harness.settle()
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("A hundred thousand lifts in a row need no stack")
  func manyLiftsInARow() {
    let (store, other) = (harness.store(), harness.store())
    let count = TestSize.many(100_000)
    let lifts = (0..<count).map { _ in JournalStore.Effect.lift(.set { $0.count += 1 }, to: other) }
    store.receive(.concatenate(effects: lifts))
    harness.settle()
    #expect(other.count == count)
    #expect(store.remains == [])
  }

  @TaskLocal static var value = 0

  @Test("Operations after a lift keep the task-local values of their tree")
  func taskLocalsAfterALift() {
    let (store, other) = (harness.store(), harness.store())
    Self.$value.withValue(5) {
      _ = store.receive(.concatenate(.lift(.sleep(.seconds(1)), to: other), .task { .log(Self.value) }))
    }
    harness.advance(by: .seconds(1))
    #expect(store.log == ["5"])
  }

  @Test("A lift to a store that is not active does nothing")
  func liftToAnInactiveStore() {
    let (store, other) = (harness.store(), harness.store())
    other.deactivate()
    store.receive(.concatenate(.lift(.log("never"), to: other), .log("here")))
    harness.settle()
    #expect(store.log == ["here"])
    #expect(other.log == [])
  }

  @Test("A cancel during a lift's own prefix is a barrier for the lifted effect")
  func liftBarrier() {
    let (store, other) = (harness.store(), harness.store())
    store.receive(
      .lift(.concatenate(.lift(.cancel("x"), to: store), .set(\.count, to: 1)), to: other).id("x"))
    #expect(other.count == 0)
  }

  @Test("Observers of a lifted commit are notified before the next lift, however many came before", arguments: 0...3)
  func observersOfALiftedCommit(thousands: Int) {
    let (store, quiet, up, down) = (harness.store(), harness.store(), harness.store(), harness.store())
    down.bind(id: "count", to: up, on: \.count) { .set(\.count, to: $0) }
    let many = (0..<1_000 * thousands).map { _ in Effect.lift(.set { $0.count += 1 }, to: quiet) }
    store.receive(
      .concatenate(
        .concatenate(effects: many), .lift(.set(\.count, to: 7), to: up),
        .lift(.cancel("count"), to: down), .set { $0.other = down.count }))
    #expect(store.other == 7)
  }

  @Test("Labelled lifts in a row need no stack")
  func law23_labelledLifts() async {
    await #expect(processExitsWith: .success) {
      let (store, other) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
      let lifts = (0..<TestSize.many(20_000)).map { _ in Effect.lift(.set { $0.count += 1 }, to: other).label("count") }
      await store.run(.concatenate(effects: lifts))
    }
  }

  @Test("A merge of lifts with a limit needs no stack")
  func law23_limitedLifts() async {
    await #expect(processExitsWith: .success) {
      let (store, other) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
      let lifts = (0..<TestSize.many(20_000)).map { _ in Effect.lift(.set { $0.count += 1 }, to: other) }
      await store.run(.merge(effects: lifts, limit: 1))
    }
  }

  @Test("Nested lifts need no stack")
  func law23_nestedLifts() async {
    await #expect(processExitsWith: .success) {
      let store = JournalStore(state: Journal(), env: ())
      var effect = Effect.log("x")
      for _ in 0..<TestSize.many(100_000) { effect = .lift(effect, to: store) }
      await store.run(effect)
    }
  }
}
