import Testing

@testable import AsyncStore

/// Differences that have been found between the machine and the reference model, each as small as possible, while
/// other events happen between the parts of a pass that stands still.
@Suite("The machine and the model, in step")
struct MachineLockstepTests {
  private func difference(holdingPasses events: TestEvent...) -> (last: [Output], difference: String?) {
    var lockstep = Lockstep(Lockstep.Setting(holdsPasses: true))
    for event in events {
      if let difference = lockstep.perform(TestStep(event: event)) { return ([], difference) }
    }
    return (lockstep.shell.outputs, lockstep.driveToRest(cancelling: false))
  }

  @Test("A scope that stands still before it has begun begins before the effect that replaces it")
  func replacedBeforeItsBeginning() {
    let result = difference(
      holdingPasses: .begin(.operate(1), 0), .begin(.scope(1, .lift(2)), 1), .begin(.scope(1, .commit(3)), 2),
      .finish(0, .scope(1, .commit(4))), .arrive, .continuePass(0))
    #expect(result.difference == nil)
    #expect(result.last.filter { $0.rank == nil } == [.commit(3), .commit(4)])
  }

  @Test("A shutdown does not cancel a tree that has done everything and stands still behind its last cancel")
  func shutDownBehindTheLastCancel() {
    let result = difference(
      holdingPasses: .begin(.scope(1, .lift(1)), 0), .begin(.cancel(.identifiers([1])), 1),
      .cancelAllSparingCleanup, .arrive, .continuePass(0))
    #expect(result.difference == nil)
    #expect(result.last == [.settled(1, .finished)])
  }

  @Test("A shutdown does not cancel a tree that stands still and whose last member was cancelled by its identifier")
  func shutDownBehindAReplacedMember() {
    let result = difference(
      holdingPasses: .begin(.lift(1), 0), .begin(.concatenate(.commit(2), .scope(1, .sleep(5))), 1), .cancelTree(0),
      .begin(.scope(1, .none), 2), .cancelAllSparingCleanup, .arrive, .continuePass(0))
    #expect(result.difference == nil)
    #expect(result.last == [.settled(1, .finished, .incomplete)])
  }

  @Test("A cleanup ends with the scope that ends it, even if its end has to be known elsewhere first")
  func endOfACleanupThatStandsStill() {
    for cleanup in [Tree.scope(11, .lift(6)), .concatenate(.scope(11, .sequence(.lift(6))))] {
      let result = difference(
        holdingPasses: .begin(.finally(.none, cleanup), 0), .cancelTree(0),
        .settleLift(0, .cancelledAfterwards, isOver: false))
      #expect(result.difference == nil)
    }
  }

  @Test("A sequence behind a scope that has nothing in it is not all of its tree, labelled or not")
  func sequenceBehindAnEmptyScope() {
    for scope in [Tree.scope(1, .none), .throttle(1, 0, leading: true, trailing: true, .none)] {
      for first in [scope, .label(scope), .ownLift(.label(scope)), .label(.ownLift(scope))] {
        let result = difference(
          holdingPasses: .begin(.concatenate(first, .sequence(.lift(1))), 0),
          .settleLift(0, .cancelledAfterwards, isOver: true))
        #expect(result.difference == nil)
        #expect(result.last == [.settled(0, .finished, .cancelledAfterwards)])
      }
    }
  }

  @Test("An entrant that has lost keeps its identifier until what it has left running elsewhere has ended")
  func lostEntrantWithRemains() {
    let race = Tree.race([.scope(2, .lift(1))], toSucceed: true)
    for next in [Tree.join(.identifiers([2])), .scope(2, .queue(width: 1, capacity: 1), .none)] {
      for ending in [LiftEnding.incomplete, .cancelledAfterwards] {
        let waiting = difference(
          holdingPasses: .begin(race, 0), .settleLift(0, ending, isOver: false), .begin(next, 2))
        #expect(waiting.difference == nil)
        #expect(waiting.last == [])
        let ended = difference(
          holdingPasses: .begin(race, 0), .settleLift(0, ending, isOver: false), .begin(next, 2), .arrive, .endLift(1))
        #expect(ended.difference == nil)
        #expect(ended.last == [.settled(2, .finished)])
        // A cancel of what is cancelled already takes the identifier away only once.
        let cancelled = difference(
          holdingPasses: .begin(race, 0), .settleLift(0, ending, isOver: false), .begin(next, 2), .cancelAll)
        #expect(cancelled.difference == nil)
      }
    }
  }

  @Test("An effect that a cleanup has left running elsewhere is no part of the tree that was cleaned up")
  func remainsOfACleanupOfADrainingTree() {
    let result = difference(
      holdingPasses: .begin(.source(1, .latest), 0), .emit(0, .finally(.operate(5), .lift(6))), .cancelTree(0),
      .finish(1, .none), .settleLift(2, .incomplete, isOver: false), .drainTree(0))
    #expect(result.difference == nil)
    #expect(result.last == [])
  }

  @Test("A labelled effect in the middle counts as the last one if only empty effects follow")
  func labelledEffectBehindACancelledOne() {
    let bodies = [Tree.commit(1), .concatenate(.label(.commit(1)), .none), .scope(3, .commit(1))]
    for last in bodies.map({ Tree.label($0) }) {
      let cancelled = difference(
        holdingPasses: .begin(.concatenate(.scope(2, .operate(1)), last, .none), 0),
        .begin(.cancel(.identifiers([2])), 1), .finish(0, .none))
      #expect(cancelled.difference == nil)
      #expect(cancelled.last == [.commit(1), .settled(0, .finished)])
      let dropped = difference(
        holdingPasses: .begin(.scope(2, .operate(1)), 0),
        .begin(.concatenate(.scope(2, .keepFirst, .operate(2)), last, .none), 1))
      #expect(dropped.difference == nil)
      #expect(dropped.last == [.commit(1), .settled(1, .finished)])
    }
    let refused = Tree.scope(2, .keepFirst, .operate(2))
    for effect in [Tree.concatenate(.label(refused), .none), .concatenate(refused, .label(.none), .none)] {
      let dropped = difference(holdingPasses: .begin(.scope(2, .operate(1)), 0), .begin(effect, 1))
      #expect(dropped.difference == nil)
      #expect(dropped.last == [.settled(1, .dropped)])
    }
  }

  @Test("A place is free when its holder has settled, before what a lost entrant has left is cancelled")
  func joinOfALostEntrant() {
    let result = difference(
      holdingPasses: .begin(.race([.scope(2, .lift(1))], toSucceed: true), 0), .begin(.join(.identifiers([2])), 1),
      .settleLift(0, .cancelledAfterwards, isOver: false), .arrive, .continuePass(0), .continuePass(0))
    #expect(result.difference == nil)
    #expect(result.last == [.settled(1, .finished)])
  }

  @Test("A shutdown does not cancel a scope that has done everything and stands still")
  func shutDownBehindAScope() {
    for tree in [Tree.scope(1, .merge([.none, .lift(1)], limit: .max)), .recover(.lift(1), answer: .none)] {
      let result = difference(
        holdingPasses: .begin(tree, 0), .settleLift(0, .completed, isOver: true), .cancelAllSparingCleanup)
      #expect(result.difference == nil)
    }
  }

  @Test("A cleanup of what a handler has answered is part of the answer: its errors go past that handler")
  func cleanupOfAnAnswer() {
    let answers = [
      Tree.finally(.operate(2), .operate(3)), .sequence(.compensated(.none, by: .operate(3)), .operate(2)),
    ]
    for answer in answers {
      let result = difference(
        holdingPasses: .begin(.recover(.scope(1, .operate(1)), answer: answer), 0), .fail(0, 14), .answer(1, .none),
        .begin(.cancel(.identifiers([1])), 1), .finish(2, .none), .fail(3, 15))
      #expect(result.difference == nil)
      #expect(result.last == [.handle(call: 4, 15, byRecover: false)])
      let late = difference(
        holdingPasses: .begin(.recover(.scope(1, .operate(1)), answer: .scope(2, answer)), 0),
        .begin(.cancel(.identifiers([1])), 1), .fail(0, 14), .answer(1, .none),
        .begin(.cancel(.identifiers([2])), 2), .finish(2, .none), .fail(3, 15))
      #expect(late.difference == nil)
      #expect(late.last == [.handle(call: 4, 15, byRecover: false)])
    }
  }

  @Test("A compensated effect is undone even if a time limit has kept an error from leaving it")
  func failedSequenceBehindATimeLimit() {
    let failing = Tree.sequence(.compensated(.none, by: .operate(2)), .operate(1))
    let limited = Tree.scope(1, .timeout(1, failing, .lift(3)))
    let result = difference(
      holdingPasses: .begin(.sequence(.compensated(limited, by: .operate(4))), 0), .fail(0, 14), .fire(late: 0),
      .finish(1, .none), .begin(.cancel(.identifiers([1])), 1), .answer(3, .none),
      .settleLift(2, .completed, isOver: true))
    #expect(result.difference == nil)
    #expect(result.last == [.operate(call: 4, 4)])
  }

  @Test("An effect that a time limit has cancelled was not cancelled by its identifier, however its lift has ended")
  func lateLiftBehindATimeLimit() {
    for body in [Tree.recover(.lift(1), answer: .none), .lift(1)] {
      let result = difference(
        holdingPasses: .begin(.race([.timeout(3, body, .none)], toSucceed: false), 0), .fire(late: 0),
        .continuePass(1), .settleLift(0, .incomplete, isOver: true), .continuePass(0))
      #expect(result.difference == nil)
    }
  }
}
