import Testing

@testable import AsyncStore

/// Faults that the reference model has found, each as small as possible, and cases that are too rare in generated
/// programs.
@Suite("The machine's regressions")
struct MachineRegressionTests {
  private func rest(_ events: TestEvent...) -> (outputs: [Output], isAtRest: Bool) {
    var shell = MachineShell()
    var outputs: [Output] = []
    for event in events {
      shell(event)
      outputs += shell.outputs.normalised
    }
    return (outputs, shell.machine.isAtRest)
  }

  @Test("Cancelling the last identifier in use settles its tree and leaves nothing behind")
  func cancellingTheLastIdentifierInUse() {
    let result = rest(.begin(.scope(1, .sleep(1)), 0), .cancel(.all))
    #expect(result.outputs == [.settled(0, .cancelled)] && result.isAtRest)
  }

  @Test("A cleanup that takes the place of its scope fails as the scope would have, and ends the attempt around it")
  func failedSuccessorOfCleanup() {
    let attempts = RetrySchedule.constant(.nanoseconds(2)).limitedTo(attempts: 2)
    let result = rest(
      .begin(.retry(attempts, asks: false, .scope(2, .finally(.none, .scope(2, .operate(6))))), 0), .fail(0, 7),
      .fire(late: 0), .finish(1, .commit(8)))
    #expect(
      result.outputs == [.operate(call: 0, 6), .operate(call: 1, 6), .commit(8), .settled(0, .finished)])
    #expect(result.isAtRest)
  }

  @Test("A cleanup that replaces what has taken its scope's place cancels the tree")
  func replacedSuccessor() {
    let cleanup = Tree.scope(2, .queue(width: 1, capacity: 0), .scope(2, .commit(1)))
    let body = Tree.concatenate(.commit(2), .sleep(1), .commit(3))
    let result = rest(.begin(.scope(2, .finally(.scope(2, body), cleanup)), 0))
    #expect(result.outputs == [.commit(2), .commit(1), .settled(0, .cancelled)])
    #expect(result.isAtRest)
  }

  @Test("An effect that follows a replaced one under its identifier begins after the new effect, and replaces it")
  func replacedByConsequence() {
    let body = Tree.concatenate(.commit(1), .sleep(1), .commit(2))
    func replacing(_ old: Tree, with new: Tree) -> [Output] { rest(.begin(old, 0), .begin(new, 1)).outputs }

    // Cleanups come before the new effect, and so does what is under no identifier.
    let old = Tree.concatenate(.scope(0, .finally(.sleep(1), .commit(10))), .commit(11), .scope(0, .commit(12)))
    #expect(
      replacing(old, with: .scope(0, body))
        == [.commit(10), .commit(11), .commit(1), .commit(12), .settled(0, .finished), .settled(1, .cancelled)])
    // Two of them come in the order in which they were begun.
    let (first, second) = (Tree.scope(0, .concatenate(.commit(21), .sleep(1))), Tree.scope(0, .commit(22)))
    let queue = ScopePolicy.queue(width: 2, capacity: 0)
    let two = Tree.merge(
      .concatenate(.scope(0, queue, .sleep(1)), first), .concatenate(.scope(0, queue, .sleep(1)), second))
    #expect(
      replacing(two, with: .scope(0, body))
        == [.commit(1), .commit(21), .commit(22), .settled(0, .finished), .settled(1, .cancelled)])
  }

  @Test("All that a cancel sets off under a new effect's identifier begins in linear time", .timeLimit(.minutes(10)))
  func manyReplacements() {
    let count = TestSize.many(20_000)
    let old = (0..<count).map { Tree.finally(.sleep(9), .scope(0, .commit($0))) }
    let new = Tree.scope(0, .concatenate(.commit(-1), .sleep(1)))
    let result = rest(.begin(.scope(0, .merge(old, limit: .max)), 0), .begin(new, 1))
    let commits = result.outputs.compactMap { if case .commit(let number) = $0 { number } else { nil } }
    #expect(commits.first == -1 && Set(commits) == Set(-1..<count))
    #expect(result.isAtRest)
  }

  @Test("Two new effects that start under each other's identifier, each behind the other one's cleanup, both end")
  func replacingEachOther() {
    let events: [TestEvent] = [
      .begin(.scope(0, .finally(.sleep(9), .scope(5, .scope(0, .commit(1))))), 0),
      .begin(.scope(5, .finally(.sleep(9), .commit(3))), 1), .begin(.scope(0, .scope(5, .commit(2))), 2),
    ]
    var shell = MachineShell()
    for event in events { shell(event) }
    #expect(shell.outputs.compactMap { if case .commit(let number) = $0 { number } else { nil } } == [3, 2])
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
    #expect(Lockstep.difference(events.map { TestStep(event: $0) }, cancelling: false, Lockstep.Setting()) == nil)
  }

  @Test("A restarted timeout has its own deadlines, and the old one ends once")
  func restartedTimeout() {
    var shell = MachineShell()
    func restart(_ number: Int) { shell(.begin(.scope(1, .timeout(5, .sleep(9), .commit(number))), number)) }
    restart(0)
    shell(.begin(.sleep(2), 8))
    shell(.fire(late: 0))
    restart(1)
    #expect(shell.outputs == [.settled(0, .cancelled)])
    #expect(shell.nextDeadline == Moment(nanoseconds: 7))
    shell(.fire(late: 0))
    #expect(shell.outputs == [.commit(1), .settled(1, .finished)])
    #expect(shell.nextDeadline == nil)
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("A restarted sleep comes into use again, after identifiers that came into use meanwhile")
  func restartedIdentifierIsRenewed() {
    var shell = MachineShell()
    for (context, name) in ([1, 2, 1] as [Name]).enumerated() { shell(.begin(.scope(name, .sleep(9)), context)) }
    shell(.cancel(.all))
    // In the order in which the identifiers came into use.
    #expect(shell.outputs == [.settled(1, .cancelled), .settled(2, .cancelled)])
  }

  @Test("A start in the place of two sleeps ends both")
  func startInPlaceOfTwo() {
    let pair = Tree.scope(1, .queue(width: 2, capacity: 0), .sleep(9))
    let result = rest(.begin(pair, 0), .begin(pair, 1), .begin(.scope(1, .commit(1)), 2))
    #expect(result.outputs == [.commit(1), .settled(0, .cancelled), .settled(1, .cancelled), .settled(2, .finished)])
    #expect(result.isAtRest)
  }

  @Test("A start in the place of a sleep leaves alone what else the same tree is still doing")
  func startInPlaceOfMoreThanASleep() {
    let restarting: [TestEvent] = [
      .begin(.scope(1, .merge([.operate(1), .operate(2)], limit: .max)), 0), .finish(1, .scope(1, .sleep(9))),
      .begin(.scope(1, .sleep(3)), 1), .finish(0, .none),
    ]
    let cleaning: [TestEvent] = [
      .begin(.finally(.sleep(9), .scope(1, .sleep(9))), 0), .cancelTree(0), .begin(.scope(1, .sleep(3)), 1),
    ]
    for events in [restarting, cleaning] {
      #expect(Lockstep.difference(events.map { TestStep(event: $0) }, cancelling: false, Lockstep.Setting()) == nil)
    }
  }

  @Test("A retry directly inside a recover retries")
  func retryDirectlyInsideRecover() {
    let schedule = RetrySchedule.constant(.nanoseconds(1)).limitedTo(attempts: 2)
    let tree = Tree.recover(.retry(schedule, .operate(1)), answer: .commit(2))
    let result = rest(.begin(tree, 0), .fail(0, 7), .fire(late: 0), .finish(1, .none))
    #expect(result.outputs == [.operate(call: 0, 1), .operate(call: 1, 1), .settled(0, .finished)] && result.isAtRest)
  }

  @Test("A race to succeed directly inside a recover waits for a success")
  func raceToSucceedDirectlyInsideRecover() {
    let tree = Tree.recover(.race([.operate(1), .operate(2)], toSucceed: true), answer: .commit(2))
    let result = rest(.begin(tree, 0), .fail(0, 7), .finish(1, .none))
    #expect(result.outputs == [.operate(call: 0, 1), .operate(call: 1, 2), .settled(0, .finished)])
  }

  @Test("A timeout after a timer cancels its body and not the timer")
  func timeoutBesideTimer() {
    let tree = Tree.concatenate(.timer(10, .none), .timeout(3, .operate(1), .commit(2)))
    var shell = MachineShell()
    shell(.begin(tree, 0))
    shell(.fire(late: 0))
    #expect(shell.outputs.normalised == [.commit(2), .cancel(call: 0)])
    #expect(shell.nextDeadline == Moment(nanoseconds: 10))
  }

  @Test("A root scope that restarts itself after its cleanup does not wait for itself")
  func rootRestartsAfterCleanup() {
    let result = rest(.begin(.scope(1, .scope(1, .replaceAfterCleanup, .commit(1))), 0))
    #expect(result.outputs == [.commit(1), .settled(0, .finished)] && result.isAtRest)
  }

  @Test("An identifier is free again once its root scope has continued in a successor's timer")
  func rootScopeRestartedByItsTimer() {
    let tree = Tree.scope(1, .timer(4, .scope(1, .commit(1))))
    let result = rest(.begin(tree, 0), .fire(late: 0), .tick(0))
    #expect(result.isAtRest)
  }

  @Test("The cleanup of a cancelled root scope is not cancelled with its identifier, but joiners wait for it")
  func rootScopeLeavesIdentifier() {
    let scope = Tree.scope(1, .operate(1))
    let result = rest(
      .begin(scope, 0), .cancel(.all), .fail(0, 7), .answer(1, .operate(2)), .begin(.join(.all), 1), .cancel(.all),
      .finish(2, .none))
    #expect(result.outputs.suffix(3) == [.operate(call: 2, 2), .settled(0, .cancelled), .settled(1, .finished)])
  }

  @Test("An entrant that restarts itself has not won when its first run is gone")
  func entrantRestartsItself() {
    let entrant = Tree.scope(1, .concatenate(.operate(1), .commit(9)))
    let events: [TestEvent] = [.begin(.race(entrant, .operate(2)), 0), .finish(0, .scope(1, .operate(3)))]
    #expect(rest(events[0], events[1]).outputs == [.operate(call: 0, 1), .operate(call: 1, 2), .operate(call: 2, 3)])
  }

  @Test("The cleanup of a cancelled entrant does not win the race")
  func leftOversDoNotWin() {
    let tree = Tree.race(.scope(1, .operate(1)), .operate(2))
    let result = rest(
      .begin(tree, 0), .cancel(.all), .fail(0, 7), .answer(2, .commit(5)), .finish(1, .commit(6)))
    #expect(result.outputs.suffix(3) == [.commit(5), .commit(6), .settled(0, .finished)])
  }

  @Test("A merge of one effect ends as that effect")
  func mergeOfOne() {
    let result = rest(.begin(.merge(.scope(1, .cancel(.all))), 0))
    #expect(result.outputs == [.settled(0, .cancelled)])
  }

  @Test("A scope behind a labelled effect is not all of its tree, and the tree is not dropped with it")
  func droppedBehindLabel() {
    let first = Tree.label(.retry(.constant(.zero).limitedTo(attempts: 1), asks: false, .none))
    let dropped = Tree.scope(1, .replace, .scope(1, .keepFirst, .none))
    #expect(rest(.begin(.concatenate(first, dropped), 0)).outputs == [.settled(0, .finished, .incomplete)])
  }

  @Test("A drop is still the last thing that happened if only empty effects follow")
  func noneAfterDrop() {
    let dropped = Tree.concatenate(.scope(1, .keepFirst, .commit(1)), .none, .concatenate([]))
    let result = rest(.begin(.scope(1, .operate(1)), 0), .begin(dropped, 1))
    #expect(result.outputs.last == .settled(1, .dropped))
  }

  @Test("An error that reaches the store's handler in a silent tree is forgotten with the tree")
  func failureOfSilentTree() {
    let tree = Tree.finally(.sleep(1), .operate(1))
    let result = rest(
      .begin(tree, 0), .cancelTree(0), .fail(0, 7), .answer(1, .none), .begin(.commit(1), 1), .begin(.sleep(1), 2),
      .fire(late: 0))
    #expect(result.outputs.suffix(3) == [.commit(1), .settled(1, .finished), .settled(2, .finished)])
  }

  @Test("Joiners of an identifier continue waiting when its effect is replaced")
  func joinersOutlastReplacement() {
    let events: [TestEvent] = [
      .begin(.scope(1, .sleep(5)), 0), .begin(.join(.all), 1), .begin(.scope(1, .sleep(5)), 2), .fire(late: 0),
    ]
    let result = rest(events[0], events[1], events[2], events[3])
    #expect(result.outputs == [.settled(0, .cancelled), .settled(1, .finished), .settled(2, .finished)])
    #expect(rest(events[0], events[1], events[2]).outputs == [.settled(0, .cancelled)])
  }

  @Test("Joiners of a throttle continue waiting when a newer effect takes the parked one's place")
  func joinersOutlastSupersededThrottle() {
    let parked = Tree.throttle(1, 5, leading: false, trailing: true, .none)
    let result = rest(.begin(parked, 0), .begin(.join(.all), 1), .begin(parked, 2))
    #expect(result.outputs == [.settled(0, .cancelled)])
  }

  @Test("A cancelled holder keeps its place in a queue until it has returned, before newcomers too")
  func cancelledHolderKeepsItsPlace() {
    let queue = { (number: Int) in Tree.scope(1, .queue(width: 1, capacity: 2), .operate(number)) }
    let events: [TestEvent] = [
      .begin(.scope(2, queue(1)), 0), .begin(queue(2), 1), .cancel(.identifiers([2])), .begin(queue(3), 2),
    ]
    let cancelled = rest(events[0], events[1], events[2], events[3])
    #expect(cancelled.outputs == [.operate(call: 0, 1), .cancel(call: 0)])
    let returned = rest(events[0], events[1], events[2], events[3], .finish(0, .none))
    #expect(returned.outputs.suffix(2) == [.operate(call: 1, 2), .settled(0, .cancelled)])
  }

  @Test("Cancelling several identifiers at once lets cleanups run outside all of them")
  func cancellingNestedIdentifiersAtOnce() {
    let inner = Tree.scope(1, .finally(.sleep(9), .commit(2)))
    let tree = Tree.concatenate(.throttle(1, 20, leading: true, trailing: false, .none), .scope(11, inner))
    let names = Selection<Name>.identifiers([1, 11])
    #expect(rest(.begin(tree, 0), .cancel(names)).outputs.contains(.commit(2)))
  }

  @Test("A label around a drop does not hide the drop")
  func labelAroundDrop() {
    let tree = Tree.label(.scope(1, .keepFirst, .none))
    #expect(rest(.begin(.scope(1, .operate(1)), 0), .begin(tree, 1)).outputs.last == .settled(1, .dropped))
  }

  @Test("Labels in tail position take constant space")
  func law23_labelledRecursion() {
    var shell = MachineShell()
    shell(.begin(.label(.operate(0)), 0))
    for call in 0..<10_000 { shell(.finish(call, .label(.operate(0)))) }
    #expect(shell.machine.fibers.count < 4)
  }

  @Test("The answer to a detached effect's error ends no attempt")
  func detachedAnswerEndsNoAttempt() {
    let schedule = RetrySchedule.constant(.nanoseconds(1)).limitedTo(attempts: 2)
    let body = Tree.recover(.concatenate(.timer(3, .operate(1)), .operate(2)), answer: .operate(3))
    let result = rest(
      .begin(.retry(schedule, body), 0), .fire(late: 0), .tick(1), .fail(2, 7), .answer(3, .none), .fail(4, 8))
    #expect(result.outputs.last == .handle(call: 5, 8, byRecover: false))
  }

  @Test("An answer that comes after its whole tree was cancelled fails into the store's handler")
  func lateAnswerAfterCancelTree() {
    let tree = Tree.recover(.recover(.scope(1, .operate(1)), answer: .operate(2)), answer: .none)
    let result = rest(
      .begin(tree, 0), .cancel(.all), .fail(0, 7), .cancelTree(0), .answer(1, .none), .fail(2, 8))
    #expect(result.outputs.last == .handle(call: 3, 8, byRecover: false))
  }

  @Test("An answer to a cancelled effect inside a scope that lives may replace the scope after its cleanup")
  func answerReplacesLivingScope() {
    let tree = Tree.scope(2, .timeout(4, .operate(1), .operate(2)))
    let answer = Tree.scope(2, .replaceAfterCleanup, .operate(4))
    let events: [TestEvent] = [.begin(tree, 0), .fire(late: 0), .fail(0, 3), .answer(2, answer), .finish(1, .none)]
    var lockstep = Lockstep()
    for event in events { #expect(lockstep.perform(TestStep(event: event)) == nil) }
    #expect(lockstep.model.outputs == [.operate(call: 3, 4)], "once the replaced one has returned")
  }

  @Test("An answer of a recovery that was cancelled fails into the recovery around it")
  func answerOfACancelledRecovery() {
    let inner = Tree.recover(.scope(11, .operate(2)), answer: .operate(5))
    let tree = Tree.recover(.timeout(1, inner, .operate(6)), answer: .none)
    let result = rest(
      .begin(tree, 0), .cancel(.identifiers([11])), .fail(0, 8), .fire(late: 0), .answer(1, .none), .fail(3, 10))
    #expect(result.outputs.contains(.handle(call: 4, 10, byRecover: true)))
  }

  @Test("An identifier is in flight until the cleanup of its cancelled cleanup has settled too")
  func cleanupOfACleanup() {
    let scope = Tree.scope(1, .finally(.sleep(9), .scope(2, .operate(1))))
    let next = Tree.scope(1, .replaceAfterCleanup, .commit(3))
    let result = rest(
      .begin(scope, 0), .cancel(.all), .begin(next, 1), .cancel(.identifiers([2])), .fail(0, 7),
      .answer(1, .operate(2)), .finish(2, .none))
    let expected: [Output] = [
      .operate(call: 0, 1), .cancel(call: 0), .handle(call: 1, 7, byRecover: false), .operate(call: 2, 2),
      .commit(3), .settled(0, .cancelled), .settled(1, .finished),
    ]
    #expect(result.outputs == expected)
    #expect(result.isAtRest)
  }

  @Test("The effect of a late error has a place even if the fibers that were cancelled with it are gone")
  func placesOutlastWhatWasMoved() {
    let tree = Tree.race(.concatenate(.timer(1, .operate(1)), .sleep(9)), .operate(2))
    let result = rest(
      .begin(.scope(1, tree), 0), .fire(late: 0), .tick(1), .finish(0, .none), .fail(2, 7), .answer(3, .operate(3)),
      .cancel(.all), .finish(4, .none))
    #expect(result.outputs.contains(.operate(call: 4, 3)) && result.isAtRest)
  }

  @Test("An error of what a sequence in a cleanup has left running is not the outcome of the tree")
  func sourceInASequenceInACleanup() {
    let cleanup = Tree.sequence(.merge(.source(5, .serial(capacity: 1)), .sleep(3)))
    var shell = MachineShell(mapsErrors: false)
    shell(.begin(.finally(.operate(1), .operate(2)), 0))
    shell(.finish(0, .none))
    shell(.finish(1, cleanup))
    shell(.fail(2, 7))
    shell(.fire(late: 0))
    #expect(shell.outputs == [.settled(0, .finished)])
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("A stream that a cleanup has left running fails the tree, whether it has an identifier or not")
  func streamOfASettledCleanup() {
    let scope = Tree.scope(1, .source(2, .each))
    for source in [Tree.source(2, .each), scope, .scope(1, scope), .scope(2, scope), .scope(1, .label(scope))] {
      let result = rest(
        .begin(.merge(.finally(.none, source), .sleep(3)), 0), .fail(0, 5), .answer(1, .none), .fire(late: 0))
      #expect(result.outputs.contains(.settled(0, .failed(5), .completed)))
    }
  }

  @Test("A stream that a shutdown has stopped ends when its last effect is cancelled, even if another one waited")
  func stoppedStreamThatIsCancelled() {
    let events: [TestEvent] = [
      .begin(.source(1, .serial(capacity: 1)), 0), .emit(0, .operate(2)), .emit(0, .none), .drain, .end(0),
      .cancelAllSparingCleanup,
    ]
    #expect(Lockstep.difference(events.map { TestStep(event: $0) }, cancelling: false, .init()) == nil)
  }

  @Test("An effect that starts under an ended cleanup's identifier is no cleanup, and is cancelled with the tree")
  func successorOfASettledCleanup() {
    let restarted = Tree.scope(11, .operate(3))
    let result = rest(
      .begin(.finally(.none, .scope(11, .operate(1))), 0), .finish(0, .source(2, .latest)), .emit(1, restarted),
      .cancelTree(0))
    #expect(result.outputs.last == .cancel(call: 2))
  }

  @Test(
    "A race that no entrant has completed is not undone, so what is undone inside it comes first",
    arguments: [
      Tree.sequence(.compensated(.none, by: .commit(6)), .race([.sleep(2)], toSucceed: true)),
      .race([.sleep(2), .sequence(.compensated(.none, by: .commit(6)), .sleep(5))], toSucceed: false),
      .race([.sequence(.compensated(.none, by: .commit(6)), .sleep(5)), .sleep(2)], toSucceed: false),
    ])
  func undoneInsideOfARace(_ body: Tree) {
    let tree = Tree.sequence(.compensated(.finally(body, .operate(10)), by: .none))
    let result = rest(.begin(tree, 0), .cancelTree(0))
    #expect(result.outputs == [.commit(6), .operate(call: 0, 10)])
  }

  @Test("An entrant that was cancelled before, or has more to do, has not completed its race")
  func undoneInsideOfARaceWithLifts() {
    func undone(beside entrant: Tree, after events: TestEvent...) -> [Output] {
      let body = Tree.race([entrant, .sequence(.compensated(.none, by: .commit(6)), .sleep(5))], toSucceed: false)
      var shell = MachineShell()
      shell(.begin(.sequence(.compensated(.finally(body, .operate(10)), by: .none)), 0))
      for event in events { shell(event) }
      return shell.outputs.normalised
    }
    #expect(undone(beside: .lift(1), after: .cancelTree(0)) == [.cancel(call: 0)])
    let cancelled = undone(beside: .scope(1, .lift(1)), after: .cancel(.identifiers([1])), .cancelTree(0))
    #expect(cancelled == [.commit(6)])
    let unfinished = Tree.concatenate(.compensated(.lift(1), by: .none), .sleep(9))
    #expect(undone(beside: unfinished, after: .cancelTree(0)) == [.commit(6), .cancel(call: 0)])
  }

  @Test("A race that one entrant has completed elsewhere is undone, whatever the others do")
  func raceCompletedElsewhere() {
    let race = Tree.race([.lift(1), .sleep(2), .lift(3)], toSucceed: false)
    let events: [TestEvent] = [
      .begin(.sequence(.compensated(race, by: .commit(6)), .sleep(9)), 0), .cancelTree(0),
      .settleLift(0, .cancelledAfterwards, isOver: true), .settleLift(1, .incomplete, isOver: true),
    ]
    for order in [[0, 1, 2, 3], [0, 1, 3, 2]] {
      var shell = MachineShell()
      for index in order { shell(events[index]) }
      #expect(shell.outputs.contains(.commit(6)))
      #expect(Lockstep.difference(order.map { TestStep(event: events[$0]) }, cancelling: false, .init()) == nil)
    }
  }

  @Test("A join whose wait is over has completed, even if the same event cancels it before it continues")
  func joinCancelledBehindItsWait() {
    let result = rest(
      .begin(.finally(.scope(2, .sleep(2)), .cancel(.all)), 0), .begin(.scope(1, .join(.identifiers([2]))), 1),
      .fire(late: 0))
    #expect(result.outputs == [.settled(0, .finished), .settled(1, .cancelled, .cancelledAfterwards)])
  }
}
