import Testing

@testable import AsyncStore

/// All small trees with all orders of events, in the machine and in the model; a fifth of them in a debug build.
@Suite("The machine and the reference model on small trees")
struct MachineExhaustiveTests {
  private static let leaves: [Tree] = [
    .commit(1), .operate(2), .sleep(1), .cancel(.identifiers([1])), .timer(2, .commit(3)),
  ]

  /// Returns the effects that enclose one tree, or two.
  private static func unary(_ tree: Tree) -> [Tree] {
    [
      .scope(1, tree), .scope(1, .keepFirst, tree), .scope(1, .replaceAfterCleanup, tree),
      .scope(1, .queue(width: 1, capacity: 1), tree), .recover(tree, answer: .operate(8)), .finally(tree, .commit(9)),
      .timeout(2, tree, .commit(7)),
      .retry(RetrySchedule.constant(.nanoseconds(1)).limitedTo(attempts: 2), asks: true, tree),
    ]
  }

  private static func binary(_ first: Tree, _ second: Tree) -> [Tree] {
    [
      .concatenate(first, second), .merge(first, second), .race(first, second),
      .race([first, second], toSucceed: true),
    ]
  }

  /// The kinds of effects with one effect inside, by their index in ``unary(_:)``.
  static let kinds = 0..<unary(.none).count
  /// The parts that long lists of trees are tried in.
  static let parts = 0..<8

  /// Returns the trees `outer(binary(unary(leaf), leaf))` and `outer(unary(binary(leaf, leaf)))` with one outer kind.
  private static func trees(outer: Int) -> [Tree] {
    var inner: [Tree] = []
    for first in leaves {
      for second in leaves {
        inner += binary(first, second)
        for around in unary(first).prefix(5) { inner += binary(around, second).prefix(2) }
      }
    }
    return inner.map { unary($0)[outer] }
  }

  @Test("The machine agrees with the model on all small trees and all orders of three events", arguments: kinds)
  func allOrders(outer: Int) async {
    var count = 0
    for (index, tree) in Self.trees(outer: outer).enumerated() where TestSize.isOptimized || index % 20 == outer {
      // Gives tests that run in parallel their turn.
      if index % 10 == 0 { await Task.yield() }
      var lockstep = Lockstep()
      let begin = TestStep(event: .begin(tree, 0))
      if let difference = lockstep.perform(begin) { return report([begin], difference) }
      guard explore([begin], depth: 3, &count) else { return }
    }
    #expect(count > (TestSize.isOptimized ? 300 : 100))
  }

  /// Replays the events so far for each possible next one, because neither side can be copied.
  // MARK: Members that other stores interpret

  private static let lift = Tree.lift(1)
  private static let wrapped: [Tree] = [
    lift, .scope(1, lift), .label(.scope(1, lift)), .finally(lift, .commit(2)), .finally(.scope(1, lift), .lift(2)),
    .timeout(2, .scope(1, lift), .commit(3)), .retry(RetrySchedule.constant(.zero).limitedTo(attempts: 2), lift),
    .recover(.scope(1, lift), answer: .commit(4)), .sequence(.compensated(lift, by: .commit(5))),
    .sequence(.scope(1, lift)), .race(lift, .lift(6)),
  ]

  /// Returns orders with a member that waits for lifts, alone or with another effect.
  private static func orders() -> [Tree] {
    var members = wrapped
    for first in wrapped {
      for second in [lift, .scope(11, .lift(7)), .operate(8), .compensated(.lift(7), by: .commit(9))] {
        members += [.concatenate(first, second), .merge(first, second), .race(first, second)]
        members.append(.sequence(.compensated(first, by: .commit(10)), second))
      }
    }
    return members.flatMap { member -> [Tree] in
      let compensated = Tree.compensated(member, by: .commit(11))
      let before = Tree.compensated(.commit(12), by: .operate(13))
      return [
        .sequence(compensated), .sequence(before, compensated), .scope(2, .sequence(compensated, .lift(14))),
        .sequence(.concatenate(compensated, .lift(14))),
      ]
    }
  }

  @Test("The machine agrees with the model on small trees with members that other stores interpret", arguments: parts)
  func lifts(part: Int) async {
    var count = 0
    for (index, tree) in Self.orders().enumerated() where index % 8 == part {
      // All of them in a nightly run.
      let share = TestSize.cases > 100_000 ? 1 : TestSize.isOptimized ? 4 : 72
      guard index / 8 % share == part % share else { continue }
      if index % 10 == 0 { await Task.yield() }
      // With other events while a pass stands still, or without; in a nightly run each tree with both.
      for holdsPasses in share == 1 ? [false, true] : [index / 8 / share % 2 == 0] {
        let setting = Lockstep.Setting(holdsPasses: holdsPasses)
        guard explore([TestStep(event: .begin(tree, 1))], depth: 3, &count, setting) else { return }
      }
    }
    #expect(count > (TestSize.isOptimized ? 300 : 30))
  }

  // MARK: Operations that one fiber runs together with what encloses them

  /// Returns operations in all orders of a limit in time, a retry and a compensation, or of some of that.
  private static func enclosedOperations() -> [Tree] {
    var trees: [Tree] = []
    for first in 0...3 {
      for second in 0...3 where second != first || first == 3 {
        for third in 0...3 where third != first && third != second || third == 3 {
          trees.append(
            [first, second, third].reduce(.operate(1)) { tree, enclosure in
              switch enclosure {
              case 0: .timeout(2, tree, .commit(2))
              case 1: .retry(RetrySchedule.constant(.nanoseconds(1)).limitedTo(attempts: 2), asks: true, tree)
              case 2: .compensated(tree, by: .commit(3))
              default: tree
              }
            })
        }
      }
    }
    return trees.flatMap { tree -> [Tree] in
      [
        .sequence(tree, .compensated(.operate(4), by: .commit(5))), .scope(1, .sequence(tree, .scope(1, .operate(6)))),
        .recover(.sequence(.commit(7), .concatenate(tree, .operate(8))), answer: .operate(9)),
        .scope(1, .finally(.label(tree), .commit(10))), .sequence(.recover(tree, answer: .none), .operate(11)),
      ]
    }
  }

  @Test(
    "The machine agrees with the model on operations that one fiber runs together with what encloses them",
    arguments: parts)
  func enclosedOperations(part: Int) async {
    var count = 0
    for (index, tree) in Self.enclosedOperations().enumerated() where index % 8 == part {
      guard TestSize.isOptimized || index / 8 % 8 == part else { continue }
      await Task.yield()
      // Four events take a minute of two cores: in a nightly run.
      let depth = TestSize.cases > 100_000 ? 4 : 3
      guard explore([TestStep(event: .begin(tree, 1))], depth: depth, &count, looks: true) else { return }
    }
    #expect(count > (TestSize.isOptimized ? 300 : 100))
  }

  private func explore(
    _ steps: [TestStep], depth: Int, _ count: inout Int, _ setting: Lockstep.Setting = Lockstep.Setting(),
    looks: Bool = false
  ) -> Bool {
    var lockstep = Lockstep(setting)
    for step in steps { _ = lockstep.perform(step) }
    var events = next(lockstep.shell)
    if looks, steps.last?.event != .look {
      events.append(.look)
      for call in lockstep.shell.running where lockstep.shell.calls[call]?.call == .operation {
        events.append(.finish(call, .concatenate(.timer(1, .commit(12)), .sleep(9))))
      }
    }
    for event in events {
      count += 1
      let step = TestStep(event: event)
      var branch = Lockstep(setting)
      for step in steps { _ = branch.perform(step) }
      if let difference = branch.perform(step) {
        report(steps + [step], difference)
        return false
      }
      if depth > 1 {
        guard explore(steps + [step], depth: depth - 1, &count, setting, looks: looks) else { return false }
      } else if let difference = branch.driveToRest(cancelling: false) {
        report(steps + [step], difference)
        return false
      }
    }
    return true
  }

  private func next(_ shell: borrowing MachineShell) -> [TestEvent] {
    var events: [TestEvent] = shell.nextDeadline == nil ? [] : [.fire(late: 0)]
    for call in shell.running {
      switch shell.calls[call]!.call {
      case .operation: events += [.finish(call, .none), .fail(call, 5)]
      case .handler: events.append(.answer(call, .none))
      case .decision: events += [.decide(call, true), .decide(call, false)]
      case .tick: events.append(.tick(call))
      case .source: events.append(.end(call))
      case .lift:
        events += [
          .settleLift(call, .completed, isOver: true), .settleLift(call, .incomplete, isOver: true),
          .settleLift(call, .cancelledAfterwards, isOver: false),
        ]
      case .remains: events.append(.endLift(call))
      }
    }
    if !shell.standing.isEmpty { events.append(shell.machine.isSpreadingBarrier ? .arrive : .continuePass(0)) }
    guard !events.isEmpty else { return [] }
    if !shell.hasLifted { return events + [.cancel(.identifiers([1]))] }
    return events + [.cancel(.identifiers([1])), .cancel(.identifiers([1, 2])), .cancelTree(1)]
  }

  private func report(_ steps: [TestStep], _ difference: String) {
    Issue.record("\(steps.map { "\($0)" }.joined(separator: "\n"))\n\(difference)")
  }
}
