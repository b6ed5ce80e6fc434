import Testing

@testable import AsyncStore

@Suite("Law 25: failure ends a sequence")
struct SequenceLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  func step(_ name: String) -> Effect { .logTask(name).compensate(with: .logTask("undo \(name)")) }

  func store() -> JournalStore { harness.store(mapError: { .log("mapped \($0)") }) }

  @Test("A sequence runs its members in order and undoes nothing when all have completed")
  func law25_completes() {
    let store = store()
    let handle = store.receive(.concatenate(.sequence(step("a"), step("b"), .log("c")), .log("next")))
    harness.settle()
    #expect(store.log == ["a", "b", "c", "next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
    #expect(store.remains == [])
  }

  @Test("A sequence ends at the first member that fails, undoes the others, last first, and fails with that error")
  func law25_failureEndsIt() {
    let store = store()
    let handle = store.receive(
      .concatenate(.sequence(step("a"), step("b"), .fail("x"), .log("never")), .log("next")))
    harness.settle()
    #expect(store.log == ["a", "b", "undo b", "undo a", "mapped x", "next"])
    #expect(handle.outcomeIfSettled?.word == "failed: x")
    #expect(store.remains == [])
  }

  enum OtherEnd: CaseIterable {
    case failed, cancelled, lastCancelled, partCancelled, dropped, inactive, deactivated, finished

    var isComplete: Bool { self == .finished || self == .partCancelled }

    /// Lifts an effect that ends in this way in the other store.
    func lift(to other: JournalStore) -> Effect {
      switch self {
      case .failed: .lift(.fail("x"), to: other)
      case .cancelled, .deactivated: .lift(Effect.sleep(.seconds(60)).id("x"), to: other)
      case .lastCancelled: .lift(.task { Effect.sleep(.seconds(60)).id("x") }, to: other)
      case .partCancelled: .lift(.concatenate(Effect.sleep(.seconds(60)).id("x"), .log("last")), to: other)
      case .dropped: .lift(Effect.log("never").id("busy", .keepFirst), to: other)
      case .inactive, .finished: .lift(.log("lifted"), to: other)
      }
    }

    func perform(on other: JournalStore) {
      switch self {
      case .cancelled, .lastCancelled, .partCancelled: other.receive(.cancel("x"))
      case .deactivated: other.deactivate()
      case .failed, .dropped, .inactive, .finished: break
      }
    }
  }

  @Test("A lift that does not finish in the other store ends the sequence, not undone", arguments: OtherEnd.allCases)
  func law25_liftEndsIt(end: OtherEnd) {
    let (store, other) = (self.store(), self.store())
    other.receive(Effect.sleep(.seconds(60)).id("busy"))
    if end == .inactive { other.deactivate() }
    let lift = end.lift(to: other).compensate(with: .log("undo lift"))
    let handle = store.receive(.sequence(step("a"), lift.retry(.constant(.zero).limitedTo(attempts: 3)), .log("next")))
    harness.settle()
    end.perform(on: other)
    harness.settle()
    #expect(store.log == (end.isComplete ? ["a", "next"] : ["a", "undo a"]))
    #expect(handle.outcomeIfSettled?.word == (end.isComplete ? "finished" : "cancelled"))
    #expect(store.remains == [])
    if end == .failed { #expect(other.log == ["mapped x"]) }
  }

  @Test("Compensations in a lifted effect belong to the sequences of its store", arguments: [false, true])
  func law25_compensationInLift(isLiftCompensated: Bool) {
    let (store, other) = (self.store(), self.store())
    let lift = Effect.lift(step("a"), to: other)
    let member = isLiftCompensated ? lift.compensate(with: .lift(.log("undo lift"), to: other)) : lift
    store.receive(.sequence(member, .fail("x")))
    harness.settle()
    #expect(other.log == (isLiftCompensated ? ["a", "undo lift"] : ["a"]))
    #expect(store.log == ["mapped x"])
  }

  @Test("A member that failed is not undone, and its error passes by its own compensation also where it is recovered")
  func law25_noneForWhatNeverCompleted() {
    let store = store()
    let failed = Effect.fail("x").compensate(with: .log("never"))
    store.receive(.sequence(step("a"), failed))
    harness.settle()
    #expect(store.log == ["a", "undo a", "mapped x"])
    store.receive(.sequence(failed.recover { _ in .log("recovered") }, step("b"), .fail("y")))
    harness.settle()
    #expect(store.log.dropFirst(3) == ["recovered", "b", "undo b", "mapped y"])
    #expect(store.remains == [])
  }

  @Test("A failing compensation is reported, the others run, and the outcome is the sequence's own error")
  func law25_failingCompensation() {
    let store = store()
    let handle = store.receive(
      .sequence(step("a"), .log("b").compensate(with: .fail("broken undo")), step("c"), .fail("x")))
    harness.settle()
    #expect(store.log == ["a", "b", "c", "undo c", "mapped broken undo", "undo a", "mapped x"])
    #expect(handle.outcomeIfSettled?.word == "failed: x")
    #expect(store.remains == [])
  }

  @Test("A failing compensation is not what a retry around the sequence fails with", arguments: 1...3)
  func law25_failingCompensationInARetry(attempts: Int) {
    let store = store()
    let failing = Effect.sequence(.log("a").compensate(with: .fail("broken undo")), .fail("x"))
    let handle = store.receive(failing.retry(.constant(.zero).limitedTo(attempts: attempts)))
    harness.settle()
    #expect(handle.outcomeIfSettled?.word == "failed: x")
    #expect(store.log.filter { $0 == "mapped broken undo" }.count == attempts)
    #expect(store.remains == [])
  }

  @Test("An effect that does nothing has completed, and is compensated")
  func law25_noneIsCompensated() {
    let store = store()
    store.receive(.sequence(.none.compensate(with: .log("undo nothing")), .fail("x")))
    harness.settle()
    #expect(store.log == ["undo nothing", "mapped x"])
    #expect(store.remains == [])
  }

  @Test("An inner sequence that has completed is undone when the outer one fails")
  func law25_nested() {
    let store = store()
    store.receive(.sequence(step("a"), .sequence(step("b"), step("c")), step("d"), .fail("x")))
    harness.settle()
    #expect(store.log == ["a", "b", "c", "d", "undo d", "undo c", "undo b", "undo a", "mapped x"])
    #expect(store.remains == [])
  }

  @Test("A retry around a sequence undoes each failed attempt before the next one")
  func law25_retryAround() {
    let store = store()
    store.receive(
      Effect.sequence(step("a"), .fail("x")).retry(.constant(.seconds(1)).limitedTo(attempts: 2)))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["a", "undo a", "a", "undo a", "mapped x"])
    #expect(store.remains == [])
  }

  @Test("A recover around a sequence sees the error after the compensations, and stands in for all of it")
  func law25_recoverAround() {
    let store = store()
    let handle = store.receive(
      Effect.sequence(step("a"), .fail("x"), .log("never")).recover { .log("recovered \($0)") })
    harness.settle()
    #expect(store.log == ["a", "undo a", "recovered x"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  /// The ways to cancel the effect under the identifier or around it.
  enum Cancel: CaseIterable { case identifier, handle, replaced, timeout, race }

  @Test("A cancelled sequence undoes what had completed, once its operation has returned", arguments: Cancel.allCases)
  func law25_cancelled(cancel: Cancel) {
    let store = store()
    let gate = Gate()
    let sequence = Effect.sequence(step("a"), step("b"), .logTask("never", after: gate).compensate(with: .log("never")))
    let effect =
      switch cancel {
      case .timeout: sequence.timeout(.seconds(1))
      case .race: Effect.race(sequence, .sleep(.seconds(1)))
      default: sequence.id("order")
      }
    let handle = store.receive(effect)
    harness.settle()
    switch cancel {
    case .identifier: store.receive(.cancel("order"))
    case .handle: handle.cancel()
    case .replaced: store.receive(.sleep(.zero).id("order"))
    case .timeout, .race: harness.advance(by: .seconds(1))
    }
    harness.settle()
    #expect(store.log == ["a", "b"])
    gate.open()
    harness.settle()
    #expect(store.log == ["a", "b", "undo b", "undo a"])
    #expect(store.remains == [])
  }

  @Test("Deactivation is a hard stop: nothing is undone")
  func law25_deactivated() {
    let store = store()
    store.receive(.sequence(step("a"), .sleep(.seconds(1))))
    harness.settle()
    store.deactivate()
    harness.settle()
    #expect(store.log == ["a"])
    #expect(store.remains == [])
  }

  @Test("A member that is cancelled by its identifier ends the sequence, which counts as cancelled")
  func law25_cancelledMember() {
    let store = store()
    let charge = Effect.sleep(.seconds(1)).id("charge").timeout(.seconds(9)).compensate(with: .log("never"))
    let handle = store.receive(.sequence(step("a"), charge, .log("never")))
    harness.settle()
    store.receive(.cancel("charge"))
    harness.settle()
    #expect(store.log == ["a", "undo a"])
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    #expect(store.remains == [])
  }

  @Test("A member that its policy drops ends the sequence")
  func law25_droppedMember() {
    let store = store()
    store.receive(.sleep(.seconds(9)).id("charge"))
    let handle = store.receive(.sequence(step("a"), .log("never").id("charge", .keepFirst), .log("never")))
    harness.settle()
    #expect(store.log == ["a", "undo a"])
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    store.deactivate()
  }

  @Test("A member that restarts itself under its own identifier continues")
  func law25_restartedMember() {
    let store = store()
    store.receive(
      .sequence(
        step("a"), .task(id: "load") { .concatenate(.log("again"), .sleep(.seconds(1)).id("load")) }, .log("end")))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["a", "again", "end"])
    #expect(store.remains == [])
  }

  @Test("Cancelling one member of a merge ends nothing; its failure ends the merge and the sequence")
  func law25_mergesInside() {
    let store = store()
    let (poll, gate) = (Effect.timer(.seconds(1), id: "poll") { _ in .none }, Gate())
    store.receive(
      .sequence(.merge(.sleep(.seconds(9)).id("wait"), .concatenate(poll, .cancel("wait"), .log("worked"))), .log("b")))
    harness.settle()
    #expect(store.log == ["worked", "b"])
    store.receive(
      .sequence(.merge(step("c"), .concatenate(.logTask("d", after: gate), .fail("x")), .sleep(.seconds(9)))))
    harness.settle()
    gate.open()
    harness.settle()
    #expect(store.log.dropFirst(2) == ["c", "d", "undo c", "mapped x"])
    store.deactivate()
  }

  @Test("Outside of a sequence there is nothing to undo")
  func law25_outside() {
    let store = store()
    store.receive(.concatenate(step("a"), .fail("x")))
    harness.settle()
    #expect(store.log == ["a", "mapped x"])
    #expect(store.remains == [])
  }

  @Test("A long sequence is undone in linear time and without recursion")
  func law25_long() {
    let store = store()
    let count = TestSize.many(20_000)
    let members = (0..<count).map { _ in
      Effect.set { $0.count += 1 }.compensate(
        with: .set {
          $0.count -= 1; $0.other += 1
        })
    }
    store.receive(.sequence(effects: members + [.fail("x")]))
    harness.settle()
    #expect(store.count == 0)
    #expect(store.other == count)
    #expect(store.remains == [])
  }

  @Test("The outer one of two compensations around one effect runs first")
  func law25_twoCompensations() {
    let store = store()
    store.receive(
      .sequence(Effect.log("a").compensate(with: .log("inner")).compensate(with: .log("outer")), .fail("x")))
    harness.settle()
    #expect(store.log == ["a", "outer", "inner", "mapped x"])
  }

  @Test("A member that another store interprets completes like any other")
  func law25_liftedMemberCompletes() {
    let store = harness.store()
    let other = harness.store()
    let handle = store.receive(
      .sequence(Effect.lift(.log("there"), to: other).compensate(with: .log("undone")), .log("next")))
    harness.settle()
    #expect(other.log == ["there"])
    #expect(store.log == ["next"])
    #expect(handle.outcomeIfSettled?.word == "finished")
  }

  /// Members that a cancel reaches when their lifts have completed in the other store, and this one does not know yet.
  enum MetMember: CaseIterable {
    case set, task, named, merged, bounded, behind, timerLeft, retried, recovered, inSequence, raced, cleansUp, twice
    case besideCancelled, lifted
    case moreBehind, moreBeside, failed

    var isComplete: Bool {
      switch self {
      case .moreBehind, .moreBeside, .failed: false
      default: true
      }
    }

    func body(_ other: JournalStore, _ between: JournalStore) -> Effect {
      let lift = Effect.lift(.set { $0.count += 1 }, to: other)
      switch self {
      case .set: return lift
      case .task: return .lift(.task { .set { $0.count += 1 } }, to: other)
      case .named: return lift.id("part")
      case .merged: return .merge(.lift(.set { $0.other += 1 }, to: other), lift)
      case .bounded: return lift.timeout(.seconds(60))
      case .behind: return .concatenate(.log("begun"), lift)
      case .timerLeft:
        let timer = Effect.timer(.seconds(1), id: "t") { _ in .log("tick") }
        return .lift(.concatenate(timer, .set { $0.count += 1 }), to: other)
      case .retried: return lift.retry(.constant(.zero))
      case .recovered: return lift.recover { _ in .none }
      case .inSequence: return .sequence(.log("begun"), lift)
      case .raced: return .race(lift, .sleep(.seconds(60)))
      case .cleansUp: return lift.finally(.log("cleaned up"))
      case .twice: return lift.compensate(with: .log("inner"))
      case .besideCancelled:
        let cleaning = Effect.lift(Effect.sleep(.seconds(9)).finally(.sleep(.milliseconds(1))), to: other).id("early")
        return .merge(cleaning, .concatenate(.cancel("early"), lift))
      case .lifted: return .lift(lift, to: between)
      case .moreBehind: return .concatenate(lift, .sleep(.seconds(1)))
      case .moreBeside: return .merge(.sleep(.seconds(1)), lift)
      case .failed: return .lift(.concatenate(.set { $0.count += 1 }, .fail("x")), to: other)
      }
    }
  }

  @Test(
    "A cancel that meets a lift which has completed in the other store undoes it", arguments: MetMember.allCases,
    ["order", "member", "part"])
  func law25_cancelMeetsCompletedLift(member: MetMember, cancelled: String) {
    let (store, other) = (harness.store(), harness.store())
    // Begun when the other store has committed, and before it reports the end of the lift.
    store.bind(id: "watch", to: other, on: \.count) { count in
      count == 1 ? .cancel(cancelled) : .none
    }
    let handle = store.receive(
      Effect.sequence(
        step("a"),
        member.body(other, harness.store()).compensate(with: .logTask("undo")).id("member"),
        .log("next"), .sleep(.seconds(9))
      ).id("order"))
    harness.settle()
    harness.advance(by: .seconds(2))
    let begun = ["a"] + (member == .behind || member == .inSequence ? ["begun"] : [])
    if cancelled == "part", member != .named {
      // Nothing is cancelled.
      let end = member == .failed ? "undo a" : "next"
      #expect(store.log == begun + (member == .cleansUp ? ["cleaned up"] : []) + [end])
    } else {
      let inner = member == .cleansUp ? ["cleaned up"] : []
      // The last first, as when a later member fails.
      let undone = member == .twice ? ["undo", "inner"] : member.isComplete ? ["undo"] : []
      #expect(store.log == begun + inner + undone + ["undo a"])
    }
    store.receive(.cancel("order"))
    harness.settle()
    #expect(handle.isSettled)
    store.receive(.cancel("watch"))
    #expect(store.remains == [] && other.remains == [])
  }

  /// An instrument that has its store cancel an order as soon as a lift of it has settled.
  private final class Cancelling: StoreInstrument {
    let store = Note<JournalStore?>(nil)

    func record(_ event: InstrumentEvent) {
      guard case .settled(.finished) = event.kind, event.effect?.effect.kind == .lift else { return }
      store.value?.receive(.cancel("order"))
    }
  }

  @Test("A cancel between the end of a lift and the next step of what is around it undoes the member", arguments: 0..<3)
  func law25_cancelBeforeTheNextStep(way: Int) {
    let instrument = Cancelling()
    let (store, other) = (harness.store(instrument: instrument), harness.store())
    instrument.store.value = store
    let lift = Effect.lift(.log("lifted"), to: other)
    let body: Effect =
      [.race(lift, .sleep(.seconds(60))), .merge(.log("begun"), lift), Effect.race(lift).label("part")][way]
    store.receive(
      .sequence(step("a"), body.compensate(with: .logTask("undo")), .sleep(.seconds(9))).id("order"))
    harness.settle()
    #expect(store.log == ["a"] + (way == 1 ? ["begun"] : []) + ["undo", "undo a"])
    instrument.store.value = nil
    #expect(store.remains == [] && other.remains == [])
  }

  @Test("A cancel before the next step of a retry, or of a sequence inside, undoes the member too", arguments: 0..<3)
  func law25_cancelBeforeTheNextStepOfItsTree(way: Int) {
    let instrument = Cancelling()
    let (store, other) = (harness.store(instrument: instrument), harness.store())
    instrument.store.value = store
    other.receive(.sleep(.seconds(99)).id("gate"))
    func noted(_ name: String) -> Effect { .log(name).compensate(with: .log("undo \(name)")) }
    // It ends while the first pass of its tree stands still behind another lift.
    let lift = Effect.lift(.join("gate"), to: other)
    let body: Effect =
      [
        lift.retry(.constant(.zero).limitedTo(attempts: 2)), .sequence(.log("begun"), lift),
        .sequence(noted("b"), lift),
      ][way]
    store.receive(
      .merge(
        .sequence(noted("a"), body.compensate(with: .log("undo")), .sleep(.seconds(9))).id("order"),
        .lift(.cancel("gate"), to: other)))
    harness.settle()
    let inner = [([], []), (["begun"], []), (["b"], ["undo b"])][way]
    #expect(store.log == ["a"] + inner.0 + ["undo"] + inner.1 + ["undo a"])
    instrument.store.value = nil
    #expect(store.remains == [] && other.remains == [])
  }
}
