import Testing

@testable import AsyncStore

@Suite("Handles")
struct EffectHandleTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  @Test("A handle may be dropped; the effect goes on")
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

  @Test("Outcomes say of themselves what they are")
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

  @Test("The first error is the outcome, and the rest still runs")
  func firstError() {
    let store = harness.store()
    let handle = store.receive(.concatenate(.fail("1"), .merge(.fail("2"), .sleep(.seconds(1))), .logTask("end")))
    harness.advance(by: .seconds(1))
    #expect(handle.outcomeIfSettled?.word == "failed: 1")
    #expect(store.log == ["end"])
  }
}
