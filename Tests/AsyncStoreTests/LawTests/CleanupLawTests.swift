import Testing

@testable import AsyncStore

/// A cleanup that has begun runs to its end, whatever is cancelled around it.
@Suite("Laws 5, 12, 19 and 21: cleanups end by themselves")
struct CleanupLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// The ways to end an effect around a running cleanup.
  enum Ending: CaseIterable {
    case identifier, outerIdentifier, prefix, handle, replacement, timeout, race, laterValue, failureBeside, shutdown
  }

  /// The reasons for a cleanup to run.
  enum Cause: CaseIterable {
    case completion, cancel, failureOfSequence, cancelOfSequence
  }

  private let outer = EffectID("whole").appending("outer")

  /// An effect whose cleanup takes from second 1 to 3.
  private func effect(_ cause: Cause) -> Effect {
    let undo = Effect.concatenate(.log("undoing"), .sleep(.seconds(2)), .log("undone"))
    let step = Effect.log("done").compensate(with: undo)
    switch cause {
    case .completion: return Effect.sleep(.seconds(1)).finally(undo)
    case .cancel: return Effect.sleep(.seconds(100)).finally(undo).id("part")
    case .failureOfSequence: return .sequence(step, .sleep(.seconds(1)), .fail("x"))
    case .cancelOfSequence: return Effect.sequence(step, .sleep(.seconds(100))).id("part")
    }
  }

  @Test(
    "A cleanup that is running outlives every cancel of what is around it",
    arguments: Cause.allCases, Ending.allCases)
  func law12_cleanupGoesOn(cause: Cause, ending: Ending) {
    let store = harness.store(mapError: { _ in .none })
    let effect = Effect.concatenate(effect(cause), .log("next"))
    let (values, continuation) = AsyncStream<Int>.makeStream()
    continuation.yield(1)
    let handle: EffectHandle
    switch ending {
    case .timeout: handle = store.receive(effect.timeout(.seconds(2), else: .log("late")).id("whole"))
    case .race: handle = store.receive(.race(effect, .sleep(.seconds(2))).id("whole"))
    case .failureBeside:
      let retried = Effect.merge(effect, .concatenate(.sleep(.seconds(2)), .fail("y")))
      handle = store.receive(retried.retry(.constant(.seconds(1)).limitedTo(attempts: 1)).id("whole"))
    case .laterValue:
      handle = store.receive(
        .stream(values, strategy: .latest) { $0 == 1 ? effect : .log("second") }.id("whole"))
    default: handle = store.receive(effect.id("inner").id(outer))
    }
    harness.advance(by: .seconds(1))
    if cause == .cancel || cause == .cancelOfSequence { store.receive(.cancel("part")) }
    harness.settle()
    #expect(store.log.last == "undoing")
    harness.advance(by: .seconds(1))
    switch ending {
    case .identifier: store.receive(.cancel("inner"))
    case .outerIdentifier: store.receive(.cancel(outer))
    case .prefix: store.receive(.cancel(prefix: "whole"))
    case .handle: handle.cancel()
    case .replacement: store.receive(.log("new").id(outer))
    case .shutdown: _ = harness.start { try await store.shutdown(drain: .zero) }
    case .laterValue: continuation.yield(2)
    case .timeout, .race, .failureBeside: break
    }
    continuation.finish()
    harness.settle()
    #expect(!store.log.contains("undone"))
    #expect(ending == .laterValue || handle.outcomeIfSettled == nil)
    harness.advance(by: .seconds(2))
    #expect(store.log.filter { $0 == "undone" } == ["undone"])
    #expect(!store.log.contains("next"))
    #expect(handle.outcomeIfSettled != nil)
    #expect(store.remains == [])
  }

  @Test("The cleanup of an effect that does nothing is a cleanup as any other")
  func law12_ofNothing() {
    let store = harness.store()
    let handle = store.receive(
      .concatenate(Effect.none.finally(.concatenate(.sleep(.seconds(1)), .log("1"))), .log("2")))
    handle.cancel()
    harness.advance(by: .seconds(1))
    #expect(store.log == ["1"])
    #expect(store.remains == [])
  }

  @Test("A handle that is cancelled, and a run whose task is, settle when the cleanup has", arguments: Cause.allCases)
  func law21_settlesWithItsCleanup(cause: Cause) {
    let store = harness.store(mapError: { _ in .none })
    let handle = store.receive(effect(cause))
    let run = harness.start { [effect = effect(cause)] in await store.run(effect).word }
    harness.settle()
    handle.cancel()
    run.cancel()
    for _ in 0..<2 {
      harness.settle()
      #expect(handle.outcomeIfSettled == nil)
      #expect(!run.isFinished)
      harness.advance(by: .seconds(1))
    }
    #expect(store.log.filter { $0 == "undone" }.count == 2)
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    #expect(run.value == "cancelled")
    #expect(store.remains == [])
  }

  @Test("Deactivating settles at once an effect that was cancelled and is cleaning up")
  func law19_endsWhatCleansUp() {
    let store = harness.store()
    let handle = store.receive(effect(.cancel))
    handle.cancel()
    harness.settle()
    #expect(handle.outcomeIfSettled == nil)
    store.deactivate()
    #expect(handle.outcomeIfSettled?.word == "cancelled")
    harness.advance(by: .seconds(10))
    #expect(store.log == ["undoing"])
    #expect(store.remains == [])
  }

  @Test("A timer that a cleanup begins ends with it where nothing around it lives", arguments: [false, true])
  func law05_timerOfACleanup(isCancelledEarly: Bool) {
    let store = harness.store()
    let timer = Effect.timer(.seconds(1), id: "timer") { _ in .log("tick") }
    let cleanup = Effect.concatenate(timer, .sleep(.milliseconds(2_500)), .log("undone"))
    let handle = store.receive(Effect.sleep(.seconds(1)).finally(cleanup))
    if isCancelledEarly { handle.cancel() }
    harness.advance(by: .seconds(1))
    handle.cancel()
    harness.advance(by: .seconds(10))
    #expect(store.log.last == "undone")
    #expect(handle.outcomeIfSettled != nil)
    #expect(store.remains == [])
  }

  @Test("A cleanup's error is not that of its effect, or of its tree")
  func law12_failingCleanup() {
    let store = harness.store(mapError: { .log("mapped \($0)") })
    let handle = store.receive(Effect.log("done").finally(.fail("undo")))
    harness.settle()
    #expect(store.log == ["done", "mapped undo"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  @Test("An identifier is in flight until all cleanups of one cancelled effect have ended")
  func law10_twoCleanupsOfOneEffect() {
    let (undo, stubborn) = (Gate(), Gate())
    let store = harness.store(mapError: { _ in .log("mapped") })
    store.receive(
      .sequence(
        .log("a").compensate(with: .logTask("undo a", after: undo)),
        .merge(
          .task {
            await stubborn.wait()
            return .none
          }, .concatenate(.sleep(.seconds(1)), .fail("x")))
      ).id("order"))
    harness.advance(by: .seconds(1))
    store.receive(.cancel("order"))
    stubborn.open()
    harness.settle()
    let join = store.receive(.concatenate(.join("order"), .log("joined")))
    harness.settle()
    #expect(store.log == ["a", "mapped"])
    #expect(join.outcomeIfSettled == nil)
    undo.open()
    harness.settle()
    #expect(store.log == ["a", "mapped", "undo a", "joined"])
    #expect(store.remains == [])
  }

  @Test("A cleanup that restarts itself under its own identifier is waited for until its last run has ended")
  func law10_cleanupRestarts() {
    let gate = Gate()
    let store = harness.store()
    let last = Effect.task(id: "cleanup") {
      await gate.wait()
      return .log("cleaned up")
    }
    store.receive(Effect.sleep(.seconds(60)).finally(.task(id: "cleanup") { last }).id("order"))
    store.receive(.cancel("order"))
    harness.settle()
    store.receive(.concatenate(.join("order"), .log("joined")))
    harness.settle()
    #expect(store.log == [])
    gate.open()
    harness.settle()
    #expect(store.log == ["cleaned up", "joined"])
    #expect(store.remains == [])
  }

  @Test("A cleanup below what a cancel has left finds its place, though what was around it is gone")
  func placeOfLateCleanup() {
    let store = harness.store()
    let gate = Gate()
    store.receive(
      .merge(
        Effect.concatenate(
          .timer(.seconds(1), id: "ticks") { _ in
            Effect.task {
              await gate.wait()
              return .none
            }.finally(.log("cleaned"))
          },
          .sleep(.seconds(60))
        ).id("middle").finally(.log("closed")),
        .sleep(.seconds(60))
      ).id("outer"))
    harness.advance(by: .seconds(1))
    store.receive(.cancel("ticks"))
    store.receive(.cancel("outer"))
    #expect(store.log == ["closed"])
    gate.open()
    harness.settle()
    #expect(store.log == ["closed", "cleaned"])
    #expect(store.remains == [])
  }

  @Test("A cleanup in a timer's tick and one around it find their places, whichever comes first")
  func placesAroundTick() {
    let store = harness.store()
    let (tick, body) = (Gate(), Gate())
    @Sendable func stubborn(_ gate: Gate) -> Effect {
      .task {
        await gate.wait()
        return .none
      }
    }
    store.receive(
      .sequence(
        Effect.concatenate(
          .timer(.seconds(1), id: "ticks") { _ in stubborn(tick).finally(.log("tick closed")) },
          stubborn(body).finally(.log("closed"))
        ).compensate(with: .log("undo"))
      ).id("order"))
    harness.advance(by: .seconds(1))
    store.receive(.cancel("ticks"))
    store.receive(.cancel("order"))
    tick.open()
    harness.settle()
    body.open()
    harness.settle()
    #expect(store.log == ["tick closed", "closed"])
    #expect(store.remains == [])
  }
}
