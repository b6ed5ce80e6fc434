import Testing

@testable import AsyncStore

@Suite("Handles")
struct EffectHandleTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("A handle may be dropped; the effect continues")
  func dropped() {
    let store = harness.store()
    do { _ = store.receive(.concatenate(.sleep(.seconds(1)), .log("done"))) }
    harness.advance(by: .seconds(1))
    #expect(store.log == ["done"])
  }

  @Test("A handle keeps neither the store nor the effect alive")
  func keepsNothing() {
    let census = Census()
    var store: JournalStore? = harness.store()
    weak let weakStore = store
    let handle = store!.receive(
      .task { [canary = census.canary()] in
        _ = canary
        return .none
      })
    harness.settle()
    #expect(census.alive == 0)
    store = nil
    #expect(weakStore == nil)
    #expect(handle.outcomeIfSettled?.word == "finished")
    handle.cancel()
  }

  @Test("An outcome is finished, or cancelled, or neither")
  func outcomes() {
    #expect(EffectOutcome.finished.isFinished)
    #expect(!EffectOutcome.finished.isCancelled)
    #expect(EffectOutcome.cancelled.isCancelled)
    for outcome in [EffectOutcome.failed(Failure("x")), .dropped, .inactive] {
      #expect(!outcome.isFinished)
      #expect(!outcome.isCancelled)
    }
  }

  @Test("A tree that is cancelled by its own identifier is cancelled; one that only holds it is not")
  func cancelledByIdentifier() {
    let store = harness.store()
    let inside = store.receive(.sleep(.seconds(1)).id("a"))
    store.receive(.cancel("a"))
    let around = store.receive(.concatenate(.sleep(.seconds(1)).id("a"), .log("next")))
    store.receive(.cancel("a"))
    #expect(inside.outcomeIfSettled?.word == "cancelled")
    #expect(around.outcomeIfSettled?.word == "finished")
    #expect(store.log == ["next"])
  }

  @Test("A tree that is all under several identifiers is cancelled, or refused, by each of them")
  func nestedIdentifiers() {
    let store = harness.store()
    let nested: [Effect] = [
      .sleep(.seconds(9)).id("inner").id("outer"), .sleep(.seconds(9)).id("inner").label("x").id("outer").id("outmost"),
      .task { .none }.debounce(for: .seconds(9), id: "inner").id("outer"),
      .sleep(.seconds(9)).id("inner", .replaceAfterCleanup).id("outer"),
    ]
    for effect in nested {
      let cancelled = store.receive(effect)
      store.receive(.cancel("inner"))
      #expect(cancelled.outcomeIfSettled?.word == "cancelled")
      let replaced = store.receive(effect)
      let kept = store.receive(Effect.sleep(.seconds(9)).id("inner"))
      #expect(replaced.outcomeIfSettled?.word == "cancelled")
      let refused = store.receive(Effect.sleep(.seconds(9)).id("inner", .keepFirst).id("outer"))
      #expect(refused.outcomeIfSettled?.word == "dropped")
      kept.cancel()
    }
    let part = store.receive(.concatenate(.sleep(.seconds(9)).id("inner"), .log("next")).id("outer"))
    store.receive(.cancel("inner"))
    #expect(part.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }

  @Test("The first error is the outcome, and the rest still runs")
  func firstError() {
    let store = harness.store()
    let handle = store.receive(.concatenate(.fail("1"), .merge(.fail("2"), .sleep(.seconds(1))), .logTask("end")))
    harness.advance(by: .seconds(1))
    #expect(handle.outcomeIfSettled?.word == "failed: 1")
    #expect(store.log == ["end"])
  }
}
