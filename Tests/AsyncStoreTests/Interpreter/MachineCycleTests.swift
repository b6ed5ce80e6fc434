import Testing

@testable import AsyncStore

/// Begins trees one after the other, sends events, and expects what was committed, the reported cycles, and rest.
func expectCycles(
  _ cycles: [[Name]], _ commits: [Int], of trees: [Tree], _ events: [TestEvent],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  var shell = MachineShell()
  for (index, tree) in trees.enumerated() { shell(.begin(tree, index)) }
  for event in events { shell(event) }
  #expect(shell.commits == commits, sourceLocation: sourceLocation)
  #expect(shell.cycles == cycles, sourceLocation: sourceLocation)
  let isAtRest = shell.machine.isAtRest
  #expect(isAtRest, sourceLocation: sourceLocation)
  #expect(shell.machine.counts.joins == 0, sourceLocation: sourceLocation)
}

@Suite("The machine's cycles of joins")
struct MachineCycleTests {
  private static func join(_ name: Name) -> Tree { .join(.identifiers([name])) }
  private static func queued(_ name: Name, _ width: Int, _ body: Tree) -> Tree {
    .scope(name, .queue(width: width, capacity: 9), body)
  }

  /// Trees that begin one after the other, the events that follow, the commits, and the reported cycles.
  ///
  /// The first effect of each tree is an operation, so that all are in flight before the first goes on.
  static let cases: [([Tree], [TestEvent], [Int], [[Name]])] = [
    // Two scopes that join each other: the second join continues, and then the first.
    (
      [
        .scope(1, .concatenate(.operate(0), join(2), .commit(11))),
        .scope(2, .concatenate(.operate(0), join(1), .commit(12))),
      ],
      [.finish(0, .none), .finish(1, .none)], [12, 11], [[1, 2]]
    ),
    // Three.
    (
      [
        .scope(1, .concatenate(.operate(0), join(2), .commit(11))),
        .scope(2, .concatenate(.operate(0), join(3), .commit(12))),
        .scope(3, .concatenate(.operate(0), join(1), .commit(13))),
      ],
      [.finish(0, .none), .finish(1, .none), .finish(2, .none)], [13, 12, 11], [[1, 2, 3]]
    ),
    // Deep inside of the scopes.
    (
      [
        .scope(
          1, .concatenate(.operate(0), .merge(.finally(.recover(join(2), answer: .none), .commit(11)), .sleep(1)))),
        .scope(2, .concatenate(.operate(0), .sequence(.retry(.constant(.zero), join(1)), .commit(12)))),
      ],
      [.finish(0, .none), .finish(1, .none), .fire(late: 0)], [12, 11], [[1, 2]]
    ),
    // Only the join that closes the cycle does not wait, and only for the scope that closes the cycle.
    (
      [
        .scope(1, .concatenate(.operate(0), join(2), .commit(11))), .scope(3, .operate(0)),
        .scope(2, .concatenate(.operate(0), .join(.identifiers([1, 3])), .commit(12))),
      ],
      [.finish(0, .none), .finish(2, .none), .finish(1, .none)], [12, 11],
      [[1, 2]]
    ),
    // No cycle: a race and a timeout may end before their members do.
    (
      [
        .scope(1, .concatenate(.operate(0), .race(join(2), .sleep(1)), .commit(11))),
        .scope(2, .concatenate(.operate(0), join(1), .commit(12))),
      ],
      [.finish(0, .none), .finish(1, .none), .fire(late: 0)], [11, 12], []
    ),
    (
      [
        .scope(1, .concatenate(.operate(0), .timeout(1, join(2), .none), .commit(11))),
        .scope(2, .concatenate(.operate(0), join(1), .commit(12))),
      ],
      [.finish(0, .none), .finish(1, .none), .fire(late: 0)], [11, 12], []
    ),
    // No cycle: a timer does not wait for the effects of its ticks.
    (
      [
        .scope(1, .timer(1, .concatenate(join(2), .commit(11)))),
        .scope(2, .concatenate(.operate(0), join(1), .commit(12))),
      ],
      [.fire(late: 0), .tick(1), .finish(0, .none), .cancel(.all)], [12, 11], []
    ),
    // Through a queue, the join last: the join does not wait.
    (
      [
        queued(1, 1, .concatenate(.operate(0), join(2), .commit(11))),
        .scope(2, .concatenate(.operate(0), queued(1, 1, .commit(21)), .commit(12))),
      ],
      [.finish(1, .none), .finish(0, .none)], [11, 21, 12], [[2, 1]]
    ),
    // Through a queue, the join first: the join continues when the other scope starts to wait in line behind it.
    (
      [
        queued(1, 1, .concatenate(.operate(0), join(2), .commit(11))),
        .scope(2, .concatenate(.operate(0), queued(1, 1, .commit(21)), .commit(12))),
      ],
      [.finish(0, .none), .finish(1, .none)], [11, 21, 12], [[1, 2]]
    ),
    // A queue with another place that is not blocked moves on.
    (
      [
        queued(1, 2, .concatenate(.operate(0), join(2), .commit(11))), queued(1, 2, .operate(0)),
        .scope(2, .concatenate(.operate(0), queued(1, 2, .commit(21)), .commit(12))),
      ],
      [.finish(0, .none), .finish(2, .none), .finish(1, .none)], [21, 12, 11], []
    ),
    // A queue whose places are all blocked does not move on.
    (
      [
        queued(1, 2, .concatenate(.operate(0), join(2), .commit(11))),
        queued(1, 2, .concatenate(.operate(0), join(2), .commit(12))),
        .scope(2, .concatenate(.operate(0), queued(1, 2, .commit(21)))),
      ],
      [.finish(0, .none), .finish(2, .none), .finish(1, .none)], [12, 21, 11], [[2, 1]]
    ),
    // A cleanup that joins the scope that waits for the cleanup.
    (
      [
        .scope(1, .finally(.operate(0), .concatenate(.operate(0), join(2), .commit(11)))),
        .scope(2, .concatenate(.operate(0), join(1), .commit(12))),
      ],
      [.cancel(.identifiers([1])), .finish(0, .none), .finish(1, .none), .finish(2, .none)], [11, 12], [[2, 1]]
    ),
  ]

  @Test("A cycle of joins is broken where it closes, and nothing else is broken", arguments: cases)
  func cycles(trees: [Tree], events: [TestEvent], commits: [Int], cycles: [[Name]]) {
    expectCycles(cycles, commits, of: trees, events)
  }

  @Test("A cycle of joins is searched for in a loop and not by recursion, through very many joins")
  func manyJoins() {
    var shell = MachineShell()
    let count = TestSize.many(20_000)
    for index in 0..<count {
      shell(.begin(.scope(Name(index + 1), .concatenate(.operate(0), Self.join(Name(index + 2)))), index))
    }
    for index in (0..<count).reversed() { shell(.finish(index, .none)) }
    // The last one had nothing to join, and ended. So did those before it.
    #expect(shell.cycles.isEmpty)
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("A search for a cycle is short if what is joined waits for little")
  func manyJoiners() {
    var shell = MachineShell(stepLimit: 64)
    shell(.begin(.scope(1, .concatenate(.operate(0), .merge(Self.join(2), .commit(1)))), 0))
    shell(.begin(.scope(2, .merge(.operate(0), .finally(.sleep(1), Self.join(3)))), 1))
    shell(.begin(.scope(3, .operate(0)), 2))
    for index in 4..<1_000 { shell(.begin(.scope(Name(index), Self.join(1)), index)) }
    shell(.finish(0, .none))
    // The search is as short for a scope that starts to wait in line behind all of them.
    shell(.begin(Self.queued(1, 1, Self.join(4)), 1_000))
    #expect(shell.suspensionCount == 0)
    #expect(shell.cycles.isEmpty)
    // A cycle requires the search of all that waits.
    shell(.fire(late: 0))
    shell(.finish(2, .merge(Self.join(999), .commit(3))))
    #expect(shell.cycles.count == 1)
    #expect(shell.suspensionCount > 0)
  }

  @Test("A search for a cycle is short if what is joined waits for less than what waits for the joiner")
  func fewerJoined() {
    var shell = MachineShell(stepLimit: 64)
    shell(.begin(.scope(1, .concatenate(.operate(0), .merge(Self.join(2), .commit(1)))), 0))
    shell(.begin(.scope(2, .merge(Array(repeating: .sleep(1), count: 100), limit: .max)), 1))
    for index in 4..<5_000 { shell(.begin(.scope(Name(index), Self.join(1)), index)) }
    let before = shell.suspensionCount
    shell(.finish(0, .none))
    #expect(shell.suspensionCount == before)
    #expect(shell.cycles.isEmpty)
  }

  @Test("A search for a cycle is short if little waits for the joiner")
  func fewerWaiting() {
    var shell = MachineShell(stepLimit: 64)
    shell(.begin(.scope(1, .concatenate(.operate(0), .merge(Self.join(2), .commit(1)))), 0))
    let others = (3..<5_000).map { Tree.scope(Name($0), .sleep(1)) }
    shell(.begin(.scope(2, .merge(others, limit: .max)), 1))
    let before = shell.suspensionCount
    shell(.finish(0, .none))
    #expect(shell.suspensionCount == before)
    #expect(shell.cycles.isEmpty)
  }

  @Test("Joins at every level of a deep tree close no cycle", arguments: [false, true])
  func deepJoins(areOfTheirOwn: Bool) {
    var shell = MachineShell()
    shell(.begin(.scope(0, .merge(Array(repeating: .sleep(1), count: 100), limit: .max)), 0))
    var tree = Tree.sleep(2)
    let depth = TestSize.many(1_000)
    for index in 1...depth {
      let name = Name(index)
      tree = areOfTheirOwn ? .merge(.scope(name, tree), Self.join(name)) : .scope(name, .merge(tree, Self.join(0)))
    }
    shell(.begin(tree, 1))
    #expect(shell.cycles.isEmpty)
    #expect(shell.machine.counts.joins == depth)
    shell(.cancel(.all))
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("A cycle of joins is found behind many effects that wait for nothing", arguments: [1, 63, 64, 1_000])
  func manyOthers(count: Int) {
    var shell = MachineShell()
    shell(.begin(.scope(1, .concatenate(.operate(0), Self.join(2), .commit(11))), 0))
    let others = Array(repeating: Tree.sleep(1), count: count)
    shell(.begin(.scope(2, .merge(others + [Self.join(1)] + others, limit: .max)), 1))
    shell(.finish(0, .none))
    #expect(shell.cycles == [[2, 1]])
    #expect(shell.commits == [11])
  }
}
