import Testing

@testable import AsyncStore

/// Orders that are cancelled just as a part of them completes in another store, by a binding to that store.
@Suite("Law 25: what has completed in another store when a cancel comes is undone, and nothing else")
struct CancelledMemberLawTests {
  typealias Effect = JournalStore.Effect

  let harness = Harness()
  let store: JournalStore
  let other: JournalStore

  init() {
    store = harness.store()
    other = harness.store()
  }

  /// Takes one from the other store, and gives it back.
  var take: Effect { .lift(.set { $0.count += 1 }, to: other) }
  var giveBack: Effect { .lift(.set { $0.count -= 1 }, to: other) }

  /// Begins an order, of which the store cancels a part when the other store has been taken from.
  func begin(cancelling part: String = "order", _ order: Effect) {
    store.bind(id: "watch", to: other, on: \.count) { $0 == 1 ? .cancel(part) : .none }
    store.receive(order.id("order"))
    harness.settle()
  }

  @Test("An effect that has more to do after the lift has not completed")
  func rest() {
    begin(
      .sequence(
        .concatenate(take.compensate(with: giveBack), .sleep(.seconds(60)), .log("rest"))
          .compensate(with: .log("undo all"))))
    #expect(store.log == [])
    #expect(other.count == 0)
    store.receive(.cancel("watch"))
    #expect(store.remains == [])
  }

  @Test("A sequence that has more members has not completed")
  func moreMembers() {
    begin(
      .sequence(
        .sequence(.log("x").compensate(with: .log("undo x")), take, .log("never begun"))
          .compensate(with: .log("undo all"))))
    #expect(store.log == ["x", "undo x"])
  }

  @Test("The second compensated effect of a list is undone for itself, whatever became of the first")
  func secondEffect() {
    begin(
      cancelling: "second",
      .sequence(
        .concatenate(
          Effect.lift(.sleep(.seconds(60)), to: other).id("first").compensate(with: .none.label("nothing")),
          take.id("second").compensate(with: giveBack))))
    store.receive(.cancel("first"))
    harness.settle()
    #expect(other.count == 0)
  }

  @Test("The second compensated effect of a list is not undone for the first")
  func firstEffect() {
    begin(
      cancelling: "first",
      .sequence(
        .concatenate(
          take.id("first").compensate(with: giveBack),
          Effect.sleep(.seconds(60)).id("second").compensate(with: .log("undo second")))))
    store.receive(.cancel("second"))
    harness.settle()
    #expect(store.log == [])
    #expect(other.count == 0)
  }

  @Test("A race has completed if one of its entrants has, whichever is cancelled beside it", arguments: [true, false])
  func race(isFirst: Bool) {
    let third = harness.store()
    let sleep = Effect.lift(.sleep(.seconds(60)), to: third)
    begin(.sequence(Effect.race(isFirst ? take : sleep, isFirst ? sleep : take).compensate(with: giveBack)))
    #expect(other.count == 0)
    #expect(third.remains == [])
  }

  @Test("A race has completed also if another entrant had been cancelled before, and continues")
  func raceWithCancelled() {
    let gate = Gate()
    let stubborn = Effect.task {
      await gate.wait()
      return .none
    }
    begin(
      .sequence(
        Effect.race(stubborn.id("stubborn"), .concatenate(.sleep(.seconds(1)), take)).compensate(with: giveBack)))
    store.receive(.cancel("stubborn"))
    harness.advance(by: .seconds(1))
    gate.open()
    harness.settle()
    #expect(other.count == 0)
  }

  @Test("A cleanup inside comes before the compensation, which waits for it", arguments: [false, true])
  func cleanupInside(takesTime: Bool) {
    let cleanup: Effect = takesTime ? .concatenate(.sleep(.seconds(1)), .log("closed")) : .log("closed")
    begin(.sequence(take.finally(cleanup).compensate(with: .concatenate(giveBack, .log("undone")))))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["closed", "undone"])
    #expect(other.count == 0)
    store.receive(.cancel("watch"))
    #expect(store.remains == [])
  }

  @Test("The compensation of an effect comes before those of a sequence inside, one after the other")
  func sequenceInside() {
    begin(
      .sequence(
        Effect.sequence(.log("a").compensate(with: .logTask("undo a")), take.compensate(with: .logTask("undo b")))
          .compensate(with: .logTask("undo all"))))
    #expect(store.log == ["a", "undo all", "undo b", "undo a"])
    store.receive(.cancel("watch"))
    #expect(store.remains == [])
  }

  @Test("The compensations of a sequence inside run also if the effect around it turns out not to have completed")
  func sequenceInsideOfIncomplete() {
    let third = harness.store()
    begin(
      .sequence(
        Effect.merge(
          .sequence(.log("a").compensate(with: .log("undo a")), take),
          Effect.lift(.sleep(.seconds(60)), to: third)
        ).compensate(with: .log("undo all"))))
    #expect(store.log == ["a", "undo a"])
    store.receive(.cancel("watch"))
    #expect(store.remains == [] && third.remains == [])
  }

  @Test("The compensations of nested sequences come after that of the effect around them, the last first")
  func nestedSequences() {
    begin(
      .sequence(
        Effect.sequence(
          .log("b").compensate(with: .logTask("undo b")),
          .sequence(.log("a").compensate(with: .logTask("undo a")), take.compensate(with: .logTask("undo t")))
        ).compensate(with: .logTask("undo all"))))
    #expect(store.log == ["b", "a", "undo all", "undo t", "undo a", "undo b"])
  }

  @Test("A cleanup around a sequence comes before its compensations")
  func cleanupAroundSequence() {
    begin(
      .sequence(
        Effect.sequence(.log("a").compensate(with: .logTask("undo a")), take.compensate(with: .logTask("undo t")))
          .finally(.log("closed")).compensate(with: .logTask("undo all"))))
    #expect(store.log == ["a", "closed", "undo all", "undo t", "undo a"])
  }

  @Test("An effect that follows a cancelled member in its list is counted for itself")
  func afterCancelledMember() {
    let third = harness.store()
    store.bind(id: "third", to: third, on: \.count) { $0 == 1 ? .cancel("order") : .none }
    begin(
      cancelling: "first",
      .sequence(
        Effect.concatenate(
          take.id("first").compensate(with: giveBack),
          .merge(.sleep(.seconds(60)), .lift(.set { $0.count += 1 }, to: third))
        ).compensate(with: .log("undo all"))))
    #expect(store.log == [])
    #expect(other.count == 0)
  }

  @Test("A member that is the last of a list is undone also where a part before it was cancelled")
  func afterCancelledPart() {
    let third = harness.store()
    begin(
      .sequence(
        Effect.concatenate(
          Effect.lift(.sleep(.seconds(60)), to: third).id("first").compensate(with: .none.label("nothing")),
          take.timeout(.seconds(60))
        ).compensate(with: giveBack)))
    store.receive(.cancel("first"))
    harness.settle()
    #expect(other.count == 0)
  }

  @Test("The last effect of a member may be cancelled under its own identifier, and is undone with the member")
  func lastEffectByItsIdentifier() {
    begin(
      cancelling: "last", .sequence(Effect.concatenate(.log("x"), take.id("last")).compensate(with: giveBack)))
    #expect(other.count == 0)
    #expect(store.log == ["x"])
  }

  @Test("A member that its identifier has cancelled is undone, even inside effects that have nothing else to do")
  func wrapped() {
    let last = take.id("last")
    let wrapped: [Effect] = [
      last.timeout(.seconds(60)), last.finally(.log("closed")), last.retry(.constant(.zero)),
      last.recover { _ in .none },
      .sequence(.none, last), last.label("part"),
    ]
    for body in wrapped {
      let (store, other) = (harness.store(), self.other)
      store.bind(id: "watch", to: other, on: \.count) { $0 == 1 ? .cancel("last") : .none }
      store.receive(.sequence(body.compensate(with: giveBack)))
      harness.settle()
      #expect(other.count == 0)
    }
  }

  @Test("A lift that did not complete completes nothing, though one cancel reaches it under two identifiers")
  func incompleteUnderTwoIdentifiers() {
    let last = Effect.lift(.sleep(.seconds(60)), to: other).id("last")
    store.receive(.sequence(Effect.concatenate(.log("x"), last).compensate(with: .log("undo"))).id("order"))
    store.receive(.cancel(ids: ["last", "order"]))
    harness.settle()
    #expect(store.log == ["x"])
  }

  @Test("A lift that did not complete completes nothing, though two cancels reach it before it ends")
  func incompleteUnderTwoCancels() {
    let gate = Gate()
    let stubborn = Effect.task {
      await gate.wait()
      return .none
    }
    let last = Effect.lift(stubborn, to: other).id("last")
    store.receive(.sequence(Effect.concatenate(.log("x"), last).compensate(with: .log("undo"))).id("order"))
    harness.settle()
    store.receive(.cancel("last"))
    store.receive(.cancel("order"))
    gate.open()
    harness.settle()
    #expect(store.log == ["x"])
  }

  @Test("A lifted effect that is cancelled there by its own identifier is undone if its own lift has completed")
  func liftInLift() {
    let third = harness.store()
    let give = Effect.lift(.set { $0.count -= 1 }, to: third)
    let take = Effect.lift(.set { $0.count += 1 }, to: third).id("part")
    other.bind(id: "watch", to: third, on: \.count) { $0 == 1 ? .cancel("part") : .none }
    for body in [take, .concatenate(.none, take), .sequence(take)] {
      store.receive(.sequence(Effect.lift(body, to: other).compensate(with: give), .log("next")))
      harness.settle()
      #expect(third.count == 0)
      #expect(store.log == [])
    }
  }

  @Test("The compensations inside a member that can't have completed wait for nothing beside it")
  func besideStubborn() {
    let gate = Gate()
    let stubborn = Effect.task {
      await gate.wait()
      return .none
    }
    let inner = Effect.sequence(Effect.log("x").compensate(with: .log("undo x")), take.compensate(with: giveBack))
    // The operation has started by then.
    let later = Effect.concatenate(.sleep(.seconds(1)), inner)
    begin(.sequence(Effect.merge(stubborn, later).compensate(with: .log("undo all"))))
    harness.advance(by: .seconds(1))
    #expect(store.log == ["x", "undo x"])
    #expect(other.count == 0)
    gate.open()
    harness.settle()
    #expect(store.log == ["x", "undo x"])
    store.receive(.cancel("watch"))
    #expect(store.remains == [])
  }

  @Test("A member that ends with an effect that is dropped has not completed, whatever was cancelled before that")
  func refusedAfterwards() {
    store.receive(Effect.sleep(.seconds(60)).id("busy"))
    begin(
      cancelling: "first",
      .sequence(
        Effect.concatenate(take.id("first").compensate(with: giveBack), Effect.log("y").id("busy", .keepFirst))
          .compensate(with: .log("undo all"))))
    #expect(store.log == [])
    #expect(other.count == 0)
  }

  @Test("A cancel that meets only the cleanup of a part that was cancelled before undoes the member all the same")
  func cancelDuringCleanup() {
    begin(
      cancelling: "last",
      .sequence(
        Effect.concatenate(.log("x"), take.finally(.sleep(.seconds(1))).id("last")).compensate(with: giveBack)))
    store.receive(.cancel("order"))
    harness.advance(by: .seconds(1))
    #expect(other.count == 0)
  }

  @Test("A second cancel completes no sequence that has more members")
  func secondCancel() {
    begin(
      cancelling: "first",
      .sequence(
        Effect.sequence(take.finally(.sleep(.seconds(1))).id("first"), .log("never"))
          .compensate(with: .log("undo all"))))
    store.receive(.cancel("order"))
    harness.advance(by: .seconds(1))
    #expect(store.log == [])
  }

  @Test("A second cancel undoes a body that has completed, though more follows it in the member")
  func secondCancelOfBody() {
    begin(
      cancelling: "last",
      .sequence(
        .concatenate(take.finally(.sleep(.seconds(1))).id("last").compensate(with: giveBack), .log("rest"))))
    store.receive(.cancel("order"))
    harness.advance(by: .seconds(1))
    #expect(other.count == 0)
    #expect(store.log == [])
  }
}
