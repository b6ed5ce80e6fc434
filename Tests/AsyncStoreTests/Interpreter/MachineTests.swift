import Testing

@testable import AsyncStore

/// Returns the outputs of each event.
func outputs(_ events: TestEvent...) -> [[Output]] {
  var shell = MachineShell()
  return events.map { event in
    shell(event)
    return shell.outputs
  }
}

@Suite("The machine's directives")
struct MachineDirectiveTests {
  /// Returns the name of the fiber in a slot that has had no other one; numbers begin with 1.
  private func fiber(_ slot: UInt32) -> FiberID { FiberID(slot: FiberSlot(number: slot), generation: slot + 1) }

  @Test("Directives name the fiber and the site in the program")
  func concatenate() {
    var shell = MachineShell()
    let members = TestProgram.list([.commit(1), .operate(2), .commit(3)])
    let began = shell(.begin(.concatenate(.commit(1), .operate(2), .commit(3)), 7))
    #expect(
      began == [
        .commit(fiber(0), Site(program: members, index: 0)), .operate(fiber(0), Site(program: members, index: 1)),
      ])
    #expect(
      shell(.finish(0, .none)) == [
        .commit(fiber(0), Site(program: members, index: 2)), .settle(7, .finished, .completed),
      ])
  }

  @Test("Directives name a part of the program once the finished part has been released")
  func divided() {
    var shell = MachineShell()
    shell(.begin(.concatenate(.operate(1), .operate(2), .commit(3), .commit(5)), 7))
    shell(.finish(0, .none))
    let rest = TestProgram.list([.commit(3), .commit(5)])
    #expect(
      shell(.finish(1, .none)) == [
        .commit(fiber(0), Site(program: rest, index: 0), count: 2), .settle(7, .finished, .completed),
      ])
  }

  @Test("A merge gives its members fibers of their own, and a cancel asks those that run to end")
  func merge() {
    var shell = MachineShell()
    let members = TestProgram.list([.operate(1), .operate(2)])
    let began = shell(.begin(.merge(.operate(1), .operate(2)), 0))
    #expect(
      began == [
        .operate(fiber(1), Site(program: members, index: 0)), .operate(fiber(2), Site(program: members, index: 1)),
      ])
    #expect(shell(.cancelTree(0)) == [.cancel(fiber(1)), .cancel(fiber(2))])
    #expect(shell(.finish(0, .commit(9))) == [])
    #expect(shell(.finish(1, .commit(9))) == [.settle(0, .cancelled)])
  }

  @Test("A directive for an error names the handler of a recover, and none for the store's own handler")
  func handlers() {
    var shell = MachineShell()
    let recover = Tree.recover(.operate(1), answer: .operate(2))
    shell(.begin(recover, 0))
    #expect(shell(.fail(0, 5)) == [.handle(fiber(1), by: TestProgram(.recover(.none, answer: .operate(2))), 5)])
    #expect(shell(.answer(1, .none)) == [.operate(fiber(1), Site(program: TestProgram(.operate(2)), index: 0))])
    #expect(shell(.fail(2, 6)) == [.handle(fiber(1), by: nil, 6)])
    #expect(shell(.answer(3, .none)) == [.settle(0, .failed(6))])
  }

  @Test("Events of fibers that are gone lead to no directives")
  func lateEvents() {
    var machine = Machine<TestProgram>(seed: 1)
    var pass = Pass<TestProgram> { .zero }
    let gone = FiberID(slot: FiberSlot(number: 0), generation: 9)
    machine.operationFinished(gone, TestProgram(.commit(1)), &pass)
    machine.operationFailed(gone, 1, &pass)
    machine.handled(gone, nil, &pass)
    machine.ticked(gone, TestProgram(.commit(1)), due: .zero, &pass)
    machine.emitted(gone, TestProgram(.commit(1)), &pass)
    machine.sourceEnded(gone, &pass)
    machine.sourceFailed(gone, 1, &pass)
    machine.treeCancelled(gone, &pass)
    machine.cancelled(.identifiers([1]), &pass)
    machine.cancelled(.all, &pass)
    machine.allCancelled(&pass)
    machine.turnCame(&pass)
    #expect(pass.directives.isEmpty && machine.isAtRest)
    #expect(machine.timePassed(to: Moment(nanoseconds: 9), &pass) == false)
  }

  @Test("A traced machine reports to instruments, and its other directives are the same")
  func law24_tracingChangesNothing() {
    let tree = Tree.concatenate(.operate(1), .sleep(2), .scope(1, .operate(3)), .commit(4))
    func run(isTraced: Bool) -> [Directive<TestProgram>] {
      var machine = Machine<TestProgram>(seed: 1, MachineOptions(traced: isTraced ? .all : []))
      var pass = Pass<TestProgram> { .zero }
      machine.received(TestProgram(tree), context: 0, &pass)
      machine.operationFinished(fiber(0), nil, &pass)
      _ = machine.timePassed(to: Moment(nanoseconds: 2), &pass)
      machine.cancelled(.identifiers([1]), &pass)
      machine.operationFailed(fiber(1), 8, &pass)
      return pass.takeDirectives()
    }
    let traced = run(isTraced: true)
    let untraced = traced.filter { if case .trace = $0 { false } else { true } }
    #expect(untraced == run(isTraced: false))
    #expect(traced.count > untraced.count)
  }

  @Test("Directives come under as many locks if operations are folded", arguments: Int32(1)...70)
  func law24_foldingTakesTheSteps(stepLimit: Int32) {
    let limited = Tree.timeout(5, .operate(1), .commit(2))
    let retried = Tree.retry(RetrySchedule.constant(.zero).limitedTo(attempts: 2), limited)
    let enclosed = [.sequence(.compensated(retried, by: .commit(3))), limited, retried]
    let tree = Tree.merge([.commit(4)] + enclosed + [.commit(5)] + enclosed + [.commit(6)], limit: .max)
    func shell(isTraced: Bool) -> MachineShell {
      var shell = MachineShell(isTraced: isTraced, stepLimit: stepLimit)
      shell(.begin(tree, 0))
      return shell
    }
    let folded = shell(isTraced: false)
    let unfolded = shell(isTraced: true)
    #expect(folded.suspensionCount == unfolded.suspensionCount)
    #expect(folded.outputs == unfolded.outputs)
    let (foldedFibers, fibers) = (folded.machine.fibers.liveCount, unfolded.machine.fibers.liveCount)
    #expect(stepLimit == 70 ? foldedFibers < fibers : foldedFibers <= fibers)
  }
}

@Suite("The machine's composition")
struct MachineCompositionTests {
  @Test(
    "A unit does nothing, alone or in a concatenate",
    arguments: [Tree.none, .concatenate([]), .merge([], limit: 1), .sleep(0), .sleep(-3)])
  func law01_units(unit: Tree) {
    #expect(outputs(.begin(unit, 0)) == [[.settled(0, .finished)]])
    let around = Tree.concatenate(unit, .scope(1, .operate(1)), unit)
    #expect(
      outputs(.begin(around, 0), .finish(0, .none)) == [[.operate(call: 0, 1)], [.settled(0, .finished)]])
  }

  @Test(
    "A merge, a concatenate or a label of one effect behaves as that effect",
    arguments: [
      Tree.merge(.scope(1, .operate(1))), .concatenate(.scope(1, .operate(1))), .label(.label(.scope(1, .operate(1)))),
    ])
  func law01_one(tree: Tree) {
    let expected: [[Output]] = [[.operate(call: 0, 1)], [.cancel(call: 0)], [.settled(0, .cancelled)]]
    #expect(outputs(.begin(tree, 0), .cancel(.identifiers([1])), .finish(0, .commit(1))) == expected)
  }

  @Test("A concatenate runs in order, with the effects that its operations return")
  func law02_concatenateInOrder() {
    let tree = Tree.concatenate(.operate(1), .concatenate(.operate(2), .commit(3)), .commit(4))
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.operate(call: 1, 9)], [.operate(call: 2, 2)],
      [.commit(3), .commit(4), .settled(0, .finished)],
    ]
    #expect(outputs(.begin(tree, 0), .finish(0, .operate(9)), .finish(1, .none), .finish(2, .none)) == expected)
  }

  @Test("A merge has at most its limit in flight, in order")
  func law03_mergeLimit() {
    let tree = Tree.merge([.operate(1), .operate(2), .operate(3), .commit(4)], limit: 2)
    let expected: [[Output]] = [
      [.operate(call: 0, 1), .operate(call: 1, 2)], [.operate(call: 2, 3)], [.commit(4)], [.settled(0, .finished)],
    ]
    #expect(outputs(.begin(tree, 0), .finish(1, .none), .finish(0, .none), .finish(2, .none)) == expected)
  }

  @Test("A child of a merge commits its own prefix before the next child begins")
  func law06_prefix() {
    let tree = Tree.merge(.concatenate(.commit(1), .sleep(1), .commit(5)), .evaluate(2, .commit(3)), .commit(4))
    let expected: [[Output]] = [
      [.commit(1), .commit(2), .commit(3), .commit(4)], [.commit(5), .settled(0, .finished)],
    ]
    #expect(outputs(.begin(tree, 0), .fire(late: 0)) == expected)
  }

  @Test("A race has one winner, and waits until its losers have returned")
  func law15_race() {
    let tree = Tree.concatenate(.race(.operate(1), .operate(2)), .commit(3))
    let expected: [[Output]] = [
      [.operate(call: 0, 1), .operate(call: 1, 2)], [.cancel(call: 0)], [.commit(3), .settled(0, .finished)],
    ]
    #expect(outputs(.begin(tree, 0), .finish(1, .none), .finish(0, .commit(9))) == expected)
    #expect(outputs(.begin(.race(.commit(1), .commit(2)), 0)) == [[.commit(1), .settled(0, .finished)]])
  }

  @Test("A race to succeed fails with its last entrant")
  func raceToSucceed() {
    let tree = Tree.race([.operate(1), .operate(2)], toSucceed: true)
    let expected: [[Output]] = [
      [.operate(call: 0, 1), .operate(call: 1, 2)], [], [.handle(call: 2, 8, byRecover: false)],
      [.settled(0, .failed(8))],
    ]
    #expect(outputs(.begin(tree, 0), .fail(1, 7), .fail(0, 8), .answer(2, .none)) == expected)
  }
}

@Suite("The machine's scopes")
struct MachineScopeTests {
  @Test("A cancelled scope drops its operation's result, and waits for it")
  func law07_cancelIsABarrier() {
    let tree = Tree.concatenate(.scope(1, .concatenate(.operate(1), .commit(2))), .commit(3))
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.cancel(call: 0)], [], [.commit(3), .settled(0, .finished)],
    ]
    let events: [TestEvent] = [
      .begin(tree, 0), .cancel(.identifiers([1])), .cancel(.identifiers([1])), .finish(0, .commit(9)),
    ]
    #expect(outputs(events[0], events[1], events[2], events[3]) == expected)
  }

  @Test(
    "A cancel selects scopes by identifiers, by prefix, or all of them",
    arguments: [
      (Selection<Name>.identifiers([11]), [0]), (.identifiers([2, 11]), [0, 1]), (.prefix(1), [0, 2]),
      (.prefix(11), [0]),
      (.all, [0, 1, 2]), (.identifiers([5]), []), (.prefix(5), []),
    ])
  func selections(selection: Selection<Name>, cancelled: [Int]) {
    let tree = Tree.merge(.scope(11, .operate(1)), .scope(2, .operate(2)), .scope(12, .operate(3)), .operate(4))
    #expect(outputs(.begin(tree, 0), .cancel(selection))[1].normalised == cancelled.map { .cancel(call: $0) })
  }

  @Test(
    "A new scope replaces the one in flight, is dropped, or waits, as its policy says",
    arguments: [
      (ScopePolicy.replace, [Output.cancel(call: 0), .operate(call: 1, 2)]),
      (.replaceAfterCleanup, [.cancel(call: 0)]), (.keepFirst, [.settled(1, .dropped)]),
      (.queue(width: 1, capacity: 1), []), (.queue(width: 1, capacity: 0), [.settled(1, .dropped)]),
      (.queue(width: 2, capacity: 0), [.operate(call: 1, 2)]),
    ])
  func law10_policies(policy: ScopePolicy, expected: [Output]) {
    let second = TestEvent.begin(.scope(1, policy, .operate(2)), 1)
    #expect(outputs(.begin(.scope(1, policy, .operate(1)), 0), second)[1] == expected)
  }

  @Test("A queue serves the scopes that wait first in, first out")
  func queueInOrder() {
    let tree = Tree.merge([1, 2, 3].map { .scope(1, .queue(width: 1, capacity: 9), .operate($0)) }, limit: .max)
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.operate(call: 1, 2)], [.operate(call: 2, 3)], [.settled(0, .finished)],
    ]
    #expect(outputs(.begin(tree, 0), .finish(0, .none), .finish(1, .none), .finish(2, .none)) == expected)
  }

  @Test("Replace after cleanup lets the newest scope wait for the cleanup, and cancels the one that waited")
  func replaceAfterCleanup() {
    func scope(_ number: Int) -> Tree { .scope(1, .replaceAfterCleanup, .operate(number)) }
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.cancel(call: 0)], [.settled(1, .cancelled)],
      [.settled(0, .cancelled), .operate(call: 1, 3)], [.settled(2, .finished)],
    ]
    let results = outputs(
      .begin(scope(1), 0), .begin(scope(2), 1), .begin(scope(3), 2), .finish(0, .none), .finish(1, .none))
    #expect(results == expected)
  }

  @Test("A scope restarts itself in its own place")
  func restart() {
    let again = Tree.scope(1, .concatenate(.commit(2), .operate(3)))
    let tree = Tree.concatenate(.scope(1, .concatenate(.operate(1), .commit(9))), .commit(4))
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.commit(2), .operate(call: 1, 3)], [.commit(4), .settled(0, .finished)],
    ]
    #expect(outputs(.begin(tree, 0), .finish(0, again), .finish(1, .none)) == expected)
  }

  @Test("A join waits for scopes, but not for their timers")
  func join() {
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [], [.settled(0, .finished), .settled(1, .finished)], [.settled(2, .finished)],
    ]
    let results = outputs(
      .begin(.scope(1, .merge(.operate(1), .timer(5, .none))), 0), .begin(.join(.prefix(1)), 1), .finish(0, .none),
      .begin(.join(.all), 2))
    #expect(results == expected)
  }

  @Test(
    "A throttle runs once a window, at its leading edge, its trailing edge or both",
    arguments: [
      (true, false, [1, 0, 0]), (false, true, [0, 0, 2]), (true, true, [1, 0, 2]),
    ])
  func law15_throttle(leading: Bool, trailing: Bool, runs: [Int]) {
    func throttled(_ number: Int) -> Tree { .throttle(1, 10, leading: leading, trailing: trailing, .commit(number)) }
    var shell = MachineShell()
    let events: [TestEvent] = [.begin(throttled(1), 0), .begin(throttled(2), 1), .fire(late: 0)]
    let commits = events.map { event in
      let before = shell.commits.count
      shell(event)
      return shell.commits.dropFirst(before).first ?? 0
    }
    #expect(commits == runs)
  }
}

@Suite("The machine's errors")
struct MachineErrorTests {
  @Test("The answer to an error takes the failed operation's place, and the path continues")
  func law12_mapError() {
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.handle(call: 1, 7, byRecover: false)],
      [.commit(5), .commit(2), .settled(0, .failed(7))],
    ]
    #expect(
      outputs(.begin(.concatenate(.operate(1), .commit(2)), 0), .fail(0, 7), .answer(1, .commit(5))) == expected)
  }

  @Test("An error of a cancelled operation is mapped, and the answer runs in what lives around it")
  func law12_cancelledOperation() {
    let tree = Tree.concatenate(.scope(1, .operate(1)), .commit(2))
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.cancel(call: 0)], [.handle(call: 1, 7, byRecover: false)], [.operate(call: 2, 5)],
      [.commit(2), .settled(0, .finished)],
    ]
    let results = outputs(
      .begin(tree, 0), .cancel(.identifiers([1])), .fail(0, 7), .answer(1, .operate(5)), .finish(2, .none))
    #expect(results == expected)
  }

  @Test("An error of a cancelled operation passes by recoveries if it is only the cancellation")
  func law12_cancellation() {
    let schedule = RetrySchedule.constant(.zero).limitedTo(attempts: 1)
    let tree = Tree.recover(
      .retry(schedule, .recover(.merge(.operate(1), .timeout(5, .operate(2), .none)), answer: .commit(3))),
      answer: .commit(4))
    #expect(
      outputs(.begin(tree, 0), .fire(late: 0), .fail(1, TestProgram.cancellation), .fail(0, TestProgram.cancellation))
        .suffix(3)
        == [
          [.cancel(call: 1)], [.handle(call: 2, TestProgram.cancellation, byRecover: false)],
          [.handle(call: 3, TestProgram.cancellation, byRecover: true)],
        ])
  }

  @Test("An error after everything was cancelled is mapped, and the answer is not interpreted")
  func law19_afterCancelAll() {
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.cancel(call: 0)], [.handle(call: 1, 7, byRecover: false)], [.settled(0, .cancelled)],
    ]
    #expect(outputs(.begin(.operate(1), 0), .cancelAll, .fail(0, 7), .answer(1, .commit(5))) == expected)
  }

  @Test("A retry follows its schedule, and fails outwards in the end")
  func law15_retry() {
    let schedule = RetrySchedule.constant(.nanoseconds(3)).limitedTo(attempts: 2)
    let tree = Tree.recover(.retry(schedule, .merge(.operate(1), .operate(2))), answer: .commit(3))
    let expected: [[Output]] = [
      [.operate(call: 0, 1), .operate(call: 1, 2)], [.cancel(call: 1)], [],
      [.operate(call: 2, 1), .operate(call: 3, 2)],
      [.cancel(call: 3)], [.handle(call: 4, 8, byRecover: true)], [.commit(3), .settled(0, .finished)],
    ]
    let results = outputs(
      .begin(tree, 0), .fail(0, 7), .finish(1, .none), .fire(late: 0), .fail(2, 8), .finish(3, .none), .answer(4, .none)
    )
    #expect(results == expected)
  }

  @Test("A finally's cleanup runs once the operations of a cancelled body have returned")
  func finally() {
    let tree = Tree.concatenate(.scope(1, .finally(.operate(1), .commit(2))), .commit(3))
    let expected: [[Output]] = [
      [.operate(call: 0, 1)], [.cancel(call: 0)], [.commit(2), .commit(3), .settled(0, .finished)],
    ]
    #expect(outputs(.begin(tree, 0), .cancel(.identifiers([1])), .finish(0, .none)) == expected)
  }
}

@Suite("The machine's time")
struct MachineTimeTests {
  @Test("Sleeps add up exactly, however late the alarms are")
  func law13_sleepsAddUp() {
    var shell = MachineShell()
    shell(.begin(.concatenate(.sleep(3), .sleep(4), .commit(1)), 0))
    #expect(shell.nextDeadline == Moment(nanoseconds: 3))
    shell(.fire(late: 100))
    #expect(shell.nextDeadline == Moment(nanoseconds: 7))
    shell(.fire(late: 0))
    #expect(shell.commits == [1] && shell.machine.isAtRest)
  }

  @Test("A timer keeps to its grid, and overdue ticks become one")
  func law14_timerGrid() {
    let expected: [[Output]] = [
      [.settled(0, .finished)], [.tick(call: 0, index: 1, missed: 0, due: 10)],
      [.tick(call: 1, index: 4, missed: 2, due: 40)], [.tick(call: 2, index: 5, missed: 0, due: 50)],
    ]
    #expect(outputs(.begin(.timer(10, .none), 0), .fire(late: 0), .fire(late: 25), .fire(late: 0)) == expected)
  }

  @Test("A timer ends with the scope that started it")
  func law05_timerDiesWithItsScope() {
    var shell = MachineShell()
    shell(.begin(.scope(1, .timer(10, .commit(1))), 0))
    #expect(shell.endings == [0: .finished] && !shell.machine.isAtRest)
    shell(.cancel(.identifiers([1])))
    #expect(shell.machine.isAtRest && shell.nextDeadline == nil)
  }

  @Test("A timeout ends its body with the barrier, runs its else, and ends when both are gone")
  func law15_timeout() {
    let tree = Tree.timeout(5, .operate(1), .commit(2))
    let expected: [[Output]] = [[.operate(call: 0, 1)], [.commit(2), .cancel(call: 0)], [.settled(0, .finished)]]
    #expect(outputs(.begin(tree, 0), .fire(late: 0), .finish(0, .commit(9))).map(\.normalised) == expected)
    #expect(outputs(.begin(.timeout(0, .operate(1), .commit(2)), 0)) == [[.commit(2), .settled(0, .finished)]])
  }
}

@Suite("The machine's sources")
struct MachineSourceTests {
  @Test(
    "A source runs its values' effects side by side, or the latest only, or one after the other",
    arguments: [
      (SourceStrategy.each, [[Output.operate(call: 1, 1)], [.operate(call: 2, 2)], [.operate(call: 3, 3)], [], []]),
      (
        .latest,
        [
          [.operate(call: 1, 1)], [.operate(call: 2, 2), .cancel(call: 1)], [.operate(call: 3, 3), .cancel(call: 2)],
          [], [],
        ]
      ),
      (.serial(capacity: 1), [[.operate(call: 1, 1)], [], [], [.operate(call: 2, 3)], []]),
    ])
  func strategies(strategy: SourceStrategy, expected: [[Output]]) {
    var shell = MachineShell()
    shell(.begin(.source(7, strategy), 0))
    #expect(shell.outputs == [.open(call: 0, 7), .settled(0, .finished)])
    let events: [TestEvent] = [
      .emit(0, .operate(1)), .emit(0, .operate(2)), .emit(0, .operate(3)), .finish(1, .none), .end(0),
    ]
    let results = events.map { event in
      shell(event)
      return shell.outputs.normalised
    }
    #expect(results == expected)
  }

  @Test("A cancelled source ends without an error")
  func law12_cancelledSource() {
    let results = outputs(.begin(.scope(1, .source(7, .each)), 0), .cancel(.all), .emit(0, .commit(1)), .fail(0, 3))
    #expect(results == [[.open(call: 0, 7), .settled(0, .finished)], [.cancel(call: 0)], [], []])
  }

  @Test("The search for the oldest unsettled tree passes each older source once, and keeps its place when one ends")
  func oldestUnsettled() {
    var shell = MachineShell()
    for context in 0..<3 { shell(.begin(.source(7, .each), context)) }
    shell(.begin(.operate(1), 3))
    let sources = shell.machine.fibers.roots.prefix(3).map(\.slot)
    // Calls 0 to 2 are the sources, and call 3 is the operation.
    for (ended, place) in [(nil, sources[2]), (2, sources[1]), (0, sources[1]), (1, FiberSlot.none)] as [(Int?, _)] {
      if let ended { shell(.end(ended)) }
      #expect(shell.machine.fibers.lastPassedRoot == (ended == nil ? .none : place))
      let isFound = shell.findsOldestUnsettled
      #expect(isFound)
      #expect(shell.machine.fibers.lastPassedRoot == place)
    }
  }
}

@Suite("The machine off its actor")
struct MachineTurnTests {
  @Test("A machine off its actor asks for a turn once, commits there in order, and never commits what was cancelled")
  func turns() {
    var shell = MachineShell()
    func step(_ event: TestEvent, mayCommit: Bool = false) -> [Output] {
      shell.perform(TestStep(event: event, mayCommit: mayCommit))
      return shell.outputs
    }
    #expect(step(.begin(.commit(1), 0)) == [.requestTurn])
    #expect(step(.begin(.scope(1, .commit(2)), 1)) == [])
    #expect(step(.begin(.evaluate(3, .commit(4)), 2)) == [])
    #expect(step(.cancel(.all)) == [.settled(1, .cancelled)])
    let turned = step(.turn, mayCommit: true)
    #expect(turned == [.commit(1), .settled(0, .finished), .commit(3), .commit(4), .settled(2, .finished)])
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }
}
