import Testing

@testable import AsyncStore

@Suite("Law 19: a shutdown and what cancels leave behind, code that it calls, and effects in other stores")
struct ShutdownCleanupLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: What cancels leave behind

  /// A store whose operations take three seconds to give back what they have when they are cancelled.
  private func storeThatReleases() -> JournalStore {
    harness.store(mapError: { _ in .concatenate(.sleep(.seconds(3)), .log("released")) })
  }

  @Test("The effect of an error that a shutdown has caused is not cancelled by a second shutdown")
  func mappedErrorInSecondShutdown() {
    let (store, gate) = (storeThatReleases(), Gate())
    store.receive(
      .task {
        try await gate.waitUnlessCancelled()
        return .none
      })
    harness.settle()
    let first = harness.start { try await store.shutdown(drain: .seconds(1)) }
    let second = harness.start { try await store.shutdown(drain: .seconds(2)) }
    harness.advance(by: .seconds(10))
    #expect(store.log == ["released"])
    #expect(first.isFinished && first.error == nil)
    #expect(second.isFinished && second.error == nil)
  }

  @Test("The effect of an error that a cancelled tree has left behind is waited for", arguments: [false, true])
  func mappedErrorOfCancelledTree(keepsSources: Bool) {
    let (store, gate) = (storeThatReleases(), Gate())
    let handle = store.receive(
      .task {
        try await gate.waitUnlessCancelled()
        return .none
      })
    harness.settle()
    handle.cancel()
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: .seconds(1), keepingSources: keepsSources) }
    harness.advance(by: .seconds(10))
    #expect(store.log == ["released"])
    #expect(shutdown.value?.isEmpty == true)
  }

  @Test("The cleanup of a lifted effect begins no timer while the store drains that has lifted it")
  func cleanupOfLiftedTree() {
    let (store, other) = (harness.store(), harness.store())
    let ticking = Effect.timer(.seconds(1), id: "timer") { _ in .log("tick") }
    let cleanup = Effect.merge(ticking, .concatenate(.sleep(.seconds(3)), .log("undone")))
    store.receive(.lift(.sleep(.seconds(100)).finally(cleanup), to: other))
    let shutdown = harness.start { try await store.shutdown(drain: .zero, cleanup: .seconds(10)) }
    harness.advance(by: .seconds(10))
    #expect(other.log == ["undone"])
    #expect(shutdown.isFinished && shutdown.error == nil)
  }

  @Test(
    "The timer of a lifted effect's cleanup stops when the store drains that has lifted it, and may begin again",
    arguments: 0..<3)
  func timerInCleanupOfLiftedTree(shape: Int) {
    let (store, other) = (harness.store(), harness.store())
    let ticking = Effect.timer(.seconds(1), id: "timer") { _ in .log("tick") }
    let cleanup = Effect.merge(ticking, .concatenate(.sleep(.seconds(20)), ticking, .sleep(.seconds(2))))
    let pause = Effect.sleep(.seconds(100))
    let part = pause.finally(cleanup)
    let lifted = [part, .merge(part, pause), part.id("part")][shape]
    store.receive(.lift(lifted, to: other).id("order"))
    store.receive(.cancel("order"))
    harness.advance(by: .milliseconds(1_500))
    #expect(other.log == ["tick"])
    let shutdown = harness.start { try await store.shutdown(drain: .seconds(60)) }
    harness.advance(by: .seconds(10))
    #expect(other.log == ["tick"])
    store.activate()
    harness.advance(by: .seconds(20))
    #expect(other.log == ["tick", "tick"], "its second timer")
    #expect(shutdown.isFinished)
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("A cleanup that a cancelled tree has left behind drains", arguments: [false, true])
  func cleanupOfCancelledTree(keepsSources: Bool) {
    let store = harness.store()
    let undo = Effect.concatenate(.sleep(.seconds(3)), .log("undone"))
    store.receive(Effect.sleep(.seconds(100)).finally(undo)).cancel()
    let shutdown = harness.start {
      try await store.shutdown(drain: nil, cleanup: .seconds(1), keepingSources: keepsSources)
    }
    harness.advance(by: .seconds(10))
    #expect(store.log == ["undone"])
    #expect(shutdown.isFinished && shutdown.error == nil)
  }

  // MARK: Code that the phases call

  @Test("A stream that activates the store when the draining ends it interrupts the shutdown")
  func activationByStream() {
    let (store, gate) = (harness.store(), Gate())
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    continuation.onTermination = { _ in store.activate() }
    store.bind(id: "stream", stream: stream) { _ in .none }
    store.receive(.logTask("1", after: gate))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: nil) }
    harness.settle()
    #expect((shutdown.error as? AsyncStoreError)?.code == .reactivated)
    gate.open()
    harness.settle()
    #expect(store.log == ["1"])
  }

  @Test(
    "An operation that deactivates the store when it is cancelled interrupts the shutdown, which names it",
    arguments: [nil, .zero, .seconds(5)] as [Duration?])
  func deactivationByOperation(cleanup: Duration?) throws {
    let (store, gate) = (harness.store(), Gate())
    let operation = Effect.task {
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        store.deactivate()
      }
      return .none
    }
    store.receive(operation.finally(.log("never")).id("order"))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: .zero, cleanup: cleanup) }
    harness.settle()
    let error = try #require(shutdown.error as? AsyncStoreError)
    #expect(error.code == .deactivated)
    #expect(error.inFlight.contains { $0.identifier == "order" })
    gate.open()
    harness.settle()
    #expect(store.log == [])
    #expect(store.remains == [])
  }

  // MARK: Other stores

  @Test("The effects of a lifted timer drain, and the timer stops")
  func liftedTick() throws {
    let (store, other, gate) = (harness.store(), harness.store(), Gate())
    store.receive(.lift(.timer(.seconds(1), id: "t") { _ in .logTask("upload", after: gate) }, to: other))
    harness.advance(by: .seconds(1))
    let shutdown = harness.start { try await store.shutdown(drain: nil) }
    harness.advance(by: .seconds(5))
    #expect(!shutdown.isFinished)
    gate.open()
    harness.settle()
    #expect(other.log == ["upload"])
    #expect(shutdown.value?.isEmpty == true)
    #expect(other.remains == [])
    #expect(other.phase == .active)
  }

  @Test("The effect of a lifted stream's element drains, also if it is lifted once more")
  func liftedElement() {
    let (store, other, third) = (harness.store(), harness.store(), harness.store())
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let charge = Effect.stream(stream) { _ in .concatenate(.log("began"), .sleep(.milliseconds(50)), .log("charged")) }
    store.receive(.lift(.lift(charge, to: third), to: other))
    continuation.yield(1)
    harness.settle()
    #expect(third.log == ["began"])
    let shutdown = harness.start { try await store.shutdown() }
    harness.settle()
    continuation.yield(2)
    harness.advance(by: .seconds(1))
    #expect(third.log == ["began", "charged"])
    #expect(shutdown.value?.isEmpty == true)
    #expect(other.remains == [] && third.remains == [])
  }

  @Test("A timer beside a lifted operation stops when the draining begins, and none begins later")
  func liftedTimerBesideOperation() {
    let (store, other, gate) = (harness.store(), harness.store(), Gate())
    let operation = Effect.task {
      await gate.wait()
      return .timer(.seconds(1), id: "late") { _ in .log("late") }
    }
    store.receive(.lift(.merge(.timer(.seconds(1), id: "t") { _ in .log("tick") }, operation), to: other))
    harness.advance(by: .seconds(1))
    let shutdown = harness.start { try await store.shutdown(drain: nil) }
    harness.advance(by: .seconds(3))
    gate.open()
    harness.advance(by: .seconds(3))
    #expect(other.log == ["tick"])
    #expect(shutdown.value?.isEmpty == true)
    #expect(other.remains == [])
  }

  @Test("The rest of a lift is cancelled with its cleanup when the draining is over, and listed")
  func liftedRest() {
    let (store, other) = (harness.store(), harness.store())
    let tick = Effect.sleep(.seconds(100)).finally(.concatenate(.sleep(.seconds(1)), .log("undone")))
    store.receive(.lift(.timer(.seconds(1), id: "t") { _ in tick }, to: other))
    harness.advance(by: .seconds(1))
    let shutdown = harness.start { try await store.shutdown(drain: .seconds(2)) }
    harness.advance(by: .seconds(10))
    #expect(other.log == ["undone"])
    #expect(shutdown.value?.count == 1)
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("A lift that begins while the store drains starts no timers, and one under way starts none later")
  func lateLift() {
    let (store, other, gate) = (harness.store(), harness.store(), Gate())
    store.receive(
      .task {
        await gate.wait()
        return .lift(
          .merge(.timer(.seconds(1), id: "t") { _ in .log("tick") }, .sleep(.seconds(5))), to: other)
      })
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: nil) }
    harness.settle()
    gate.open()
    harness.advance(by: .seconds(10))
    #expect(other.log == [])
    #expect(shutdown.value?.isEmpty == true)
  }

  @Test("Lifts in lifts drain, however deep they are")
  func deepLifts() {
    let (first, second, third) = (harness.store(), harness.store(), harness.store())
    var effect = Effect.merge(.timer(.seconds(1), id: "t") { _ in .log("tick") }, .sleep(.milliseconds(1_500)))
    for depth in 0..<TestSize.many(100_000) { effect = .lift(effect, to: depth.isMultiple(of: 2) ? second : third) }
    first.receive(.lift(effect, to: second))
    let shutdown = harness.start { try await first.shutdown() }
    harness.advance(by: .seconds(2))
    #expect(shutdown.value?.isEmpty == true)
    #expect(second.log == [] && third.log == [])
  }

  @Test("With the sources kept, the cleanups of what they begin hold up no shutdown")
  func cleanupsOfSources() {
    let store = harness.store()
    store.receive(
      .timer(.seconds(1), id: "t") { _ in Effect.sleep(.seconds(100)).finally(.sleep(.seconds(2))).id("job") })
    harness.advance(by: .milliseconds(2_500))
    let shutdown = harness.start { try await store.shutdown(drain: nil, keepingSources: true) }
    harness.advance(by: .seconds(5))
    #expect(shutdown.isFinished && shutdown.error == nil)
  }

  @Test("The effect of an error in a living tree is cancelled with it, and listed")
  func mappedErrorInLivingTree() {
    let (store, gate) = (storeThatReleases(), Gate())
    let operation = Effect.task {
      try await gate.waitUnlessCancelled()
      return .none
    }
    store.receive(.merge(operation.id("a"), .sleep(.seconds(100))))
    harness.settle()
    store.receive(.cancel("a"))
    harness.settle()
    let shutdown = harness.start { try await store.shutdown(drain: .seconds(1)) }
    harness.advance(by: .seconds(10))
    #expect(store.log == [])
    #expect(shutdown.value?.contains { "\($0)".contains("sleep 3") } == true)
  }

  @Test("A lift into the store itself drains with it", arguments: [false, true])
  func ownLift(isCleanup: Bool) {
    let store = harness.store()
    let lift = Effect.lift(.log("lifted"), to: store)
    store.receive(isCleanup ? .sleep(.seconds(1)).finally(lift) : .concatenate(.sleep(.seconds(1)), lift))
    let shutdown = harness.start { try await store.shutdown(drain: nil) }
    harness.advance(by: .seconds(2))
    #expect(store.log == ["lifted"])
    #expect(shutdown.isFinished && shutdown.error == nil)
  }

  @Test("Activating lets the timers of lifted effects begin again, in lifts too")
  func activationDuringDrain() {
    let (first, second, third) = (harness.store(), harness.store(), harness.store())
    let late = Effect.concatenate(.sleep(.seconds(2)), .timer(.seconds(1), id: "t") { _ in .log("tick") })
    first.receive(.lift(.lift(late, to: third), to: second))
    let shutdown = harness.start { try await first.shutdown() }
    harness.advance(by: .seconds(1))
    first.activate()
    harness.advance(by: .seconds(3))
    #expect((shutdown.error as? AsyncStoreError)?.code == .reactivated)
    #expect(third.log == ["tick", "tick"])
  }
}
