import Testing

@testable import AsyncStore

@Suite("The machine's cycles of joins that close without a new wait")
struct MachineLateCycleTests {
  private static func join(_ name: Name) -> Tree { .join(.identifiers([name])) }

  private static func queued(_ name: Name, _ width: Int, _ body: Tree) -> Tree {
    .scope(name, .queue(width: width, capacity: .max), body)
  }

  /// A cleanup that waits for an operation, and then joins.
  private static func cleanup(joining name: Name) -> Tree {
    .finally(.none, .concatenate(.operate(0), join(name), .commit(11)))
  }

  /// A scope that waits for an operation, and then joins.
  private static func joining(_ own: Name, _ other: Name) -> Tree {
    .scope(own, .concatenate(.operate(0), join(other), .commit(12)))
  }

  /// Trees that begin one after the other, the events that follow, the commits, and the reported cycles.
  static let cases: [([Tree], [TestEvent], [Int], [[Name]])] = [
    // A cleanup under way in a cancelled scope, which the scope around it waits for: its join closes the cycle.
    (
      [.scope(3, .concatenate(.scope(1, cleanup(joining: 2)), .commit(13))), joining(2, 3)],
      [.cancel(.identifiers([1])), .finish(1, .none), .finish(0, .none)], [11, 13, 12], [[2, 3, 1]]
    ),
    // The other join closes it.
    (
      [.scope(3, .concatenate(.scope(1, cleanup(joining: 2)), .commit(13))), joining(2, 3)],
      [.cancel(.identifiers([1])), .finish(0, .none), .finish(1, .none)], [12, 11, 13], [[3, 1, 2]]
    ),
    // The member of a race, once another one has won.
    (
      [.scope(1, .concatenate(.race(cleanup(joining: 2), .operate(1)), .commit(13))), joining(2, 1)],
      [.finish(0, .none), .finish(2, .none), .finish(1, .none)], [11, 13, 12], [[2, 1]]
    ),
    // The body of a timeout, once the time is over.
    (
      [.scope(1, .concatenate(.timeout(1, cleanup(joining: 2), .commit(14)), .commit(13))), joining(2, 1)],
      [.finish(0, .none), .finish(1, .none), .fire(late: 0)], [14, 11, 13, 12], [[2, 1]]
    ),
    // A race that is cancelled.
    (
      [.scope(1, .concatenate(.race(cleanup(joining: 2), .sleep(1)), .commit(13))), joining(2, 1)],
      [.finish(0, .none), .finish(1, .none), .cancel(.identifiers([1]))], [11, 12], [[2, 1]]
    ),
    // No cycle where the race may still be won.
    (
      [.scope(1, .concatenate(.race(cleanup(joining: 2), .sleep(1)), .commit(13))), joining(2, 1)],
      [.finish(0, .none), .finish(1, .none), .cancel(.identifiers([2]))], [11, 13], []
    ),
    // A line whose next one needs more free places than the one before it.
    (
      [
        .scope(1, .concatenate(.operate(0), queued(5, 1, .commit(21)))), queued(5, 2, .operate(1)),
        queued(5, 2, .concatenate(join(1), .commit(31))), queued(5, 2, .operate(2)),
      ],
      [.finish(0, .none), .finish(1, .none), .finish(2, .none)], [31, 21], [[5, 1]]
    ),
    // The same where the one before it is cancelled.
    (
      [
        .scope(1, .concatenate(.operate(0), queued(5, 1, .commit(21)))), queued(5, 2, .operate(1)),
        queued(5, 2, .concatenate(join(1), .commit(31))), .scope(6, queued(5, 2, .commit(32))),
      ],
      [.finish(0, .none), .cancel(.identifiers([6])), .finish(1, .none)], [31, 21], [[5, 1]]
    ),
    // The first in line holds nothing up, and one behind it does.
    (
      [
        .scope(1, .concatenate(.operate(0), queued(5, 1, .commit(21)))), queued(5, 2, .operate(1)),
        queued(5, 2, .concatenate(join(1), .commit(31))), queued(5, 2, .operate(2)), queued(5, 1, .commit(41)),
      ],
      [.finish(0, .none), .finish(1, .none), .finish(2, .none)], [31, 41, 21], [[5, 1]]
    ),
    // A cleanup that has not begun, because one inside of it is under way: the scope around waits for both.
    (
      [.scope(3, .concatenate(.scope(1, .finally(cleanup(joining: 2), .commit(15))), .commit(13))), joining(2, 3)],
      [.cancel(.identifiers([1])), .finish(1, .none), .finish(0, .none)], [11, 15, 13, 12], [[2, 3, 1]]
    ),
    // The other join closes it.
    (
      [.scope(3, .concatenate(.scope(1, .finally(cleanup(joining: 2), .commit(15))), .commit(13))), joining(2, 3)],
      [.cancel(.identifiers([1])), .finish(0, .none), .finish(1, .none)], [12, 11, 15, 13], [[3, 1, 2]]
    ),
    // A cleanup that a race waits for once it has been won.
    (
      [
        .scope(
          3,
          .concatenate(
            .race(.scope(1, .finally(.sleep(9), .concatenate(.operate(0), join(2), .commit(11)))), .operate(1)),
            .commit(13))), joining(2, 3),
      ],
      [.cancel(.identifiers([1])), .finish(2, .none), .finish(1, .none), .finish(0, .none)], [11, 13, 12], [[2, 3]]
    ),
    // The same for a cleanup inside of a member that was cancelled before.
    (
      [
        .scope(
          3, .concatenate(.race(.scope(1, .finally(cleanup(joining: 2), .commit(15))), .operate(1)), .commit(13))),
        joining(2, 3),
      ],
      [.cancel(.identifiers([1])), .finish(0, .none), .finish(2, .none), .finish(1, .none)],
      [11, 15, 13, 12], [[2, 3, 1]]
    ),
    // No cycle where the line moves on in which the joined scope stands.
    (
      [
        .scope(1, .concatenate(.operate(0), join(9), .commit(12))), queued(5, 2, .operate(1)), queued(5, 2, join(1)),
        .scope(9, queued(5, 2, .commit(21))),
      ],
      [.finish(0, .none), .finish(1, .none)], [21, 12], []
    ),
  ]

  /// Races whose entrants all come to wait in a cycle, and others that can still be won.
  static let races: [([Tree], [TestEvent], [Int], [[Name]])] = [
    // The join of the race closes it.
    (
      [joining(1, 0), .scope(0, .concatenate(.race(join(1), join(1)), .commit(11)))],
      [.finish(0, .none)], [12, 11], [[0, 1]]
    ),
    // Its last entrant does.
    (
      [
        .scope(
          0,
          .concatenate(
            .race(.concatenate(.operate(1), join(1)), .concatenate(.operate(2), join(1))), .commit(11))),
        joining(1, 0),
      ],
      [.finish(2, .none), .finish(0, .none), .finish(1, .none)], [11, 12], [[1, 0]]
    ),
    // A race in a race does.
    (
      [joining(1, 0), .scope(0, .concatenate(.race(join(1), .race(join(1), join(1))), .commit(11)))],
      [.finish(0, .none)], [12, 11], [[0, 1]]
    ),
    // The entrant that would not have waited is cancelled.
    (
      [joining(1, 0), .scope(0, .concatenate(.race(join(1), .scope(5, .sleep(9))), .commit(11)))],
      [.finish(0, .none), .cancel(.identifiers([5]))], [11, 12], [[1, 0]]
    ),
    // It fails, and the race is for a success.
    (
      [joining(1, 0), .scope(0, .concatenate(.race([join(1), .operate(3)], toSucceed: true), .commit(11)))],
      [.finish(0, .none), .fail(1, 7)], [11, 12], [[1, 0]]
    ),
    // No cycle: an entrant waits in a line that moves on.
    (
      [
        joining(1, 0), queued(5, 2, .operate(1)), queued(5, 2, join(1)),
        .scope(0, .concatenate(.race(join(1), .concatenate(.operate(2), queued(5, 2, .none))), .commit(11))),
      ],
      [.finish(2, .none), .finish(0, .none), .finish(1, .none)], [11, 12], []
    ),
    // No cycle: an entrant waits for something else.
    (
      [joining(1, 0), .scope(6, .operate(3)), .scope(0, .concatenate(.race(join(6), join(1)), .commit(11)))],
      [.finish(0, .none), .finish(1, .none)], [11, 12], []
    ),
    // No cycle: an entrant has not begun.
    (
      [joining(1, 0), .scope(0, .concatenate(.operate(3), .race(join(1), .sleep(9)), .commit(11)))],
      [.finish(0, .none), .finish(1, .none), .fire(late: 0)], [11, 12], []
    ),
  ]

  @Test(
    "A cycle of joins that closes without a new wait is broken, and nothing else is broken", arguments: cases + races)
  func cycles(trees: [Tree], events: [TestEvent], commits: [Int], cycles: [[Name]]) {
    expectCycles(cycles, commits, of: trees, events)
  }

  @Test("A cycle through a race of many entrants that join is searched for in linear time", .timeLimit(.minutes(10)))
  func wideRace() {
    var shell = MachineShell()
    let count = 2_000
    shell(.begin(Self.joining(1, 0), 0))
    let entrants = [Tree](repeating: .concatenate(.operate(1), Self.join(1)), count: count)
    shell(.begin(.scope(0, .race(entrants, toSucceed: false)), 1))
    shell(.finish(0, .none))
    for call in 1...count { shell(.finish(call, .none)) }
    // The last one closes the cycle.
    #expect(shell.cycles == [[1, 0]])
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test(
    "A search for a cycle takes out many lines in linear time, each of which moves because of another one",
    .timeLimit(.minutes(10)))
  func manyLines() {
    var shell = MachineShell()
    let count = TestSize.many(10_000)
    shell(.begin(.scope(0, .concatenate(.operate(0), Self.join(Name(count)))), 0))
    for index in 1...count {
      shell(.begin(Self.queued(Name(index), 2, Self.join(0)), index))
      let other = index == 1 ? Tree.sleep(1) : Self.queued(Name(index - 1), 2, .none)
      shell(.begin(Self.queued(Name(index), 2, other), index))
    }
    shell(.begin(Self.queued(Name(count), 2, .none), 0))
    shell(.finish(0, .none))
    // Each line moves on, because of the one before it. The join that the last identifier has waits for this one.
    #expect(shell.cycles == [[Name(count), 0]])
    shell(.cancel(.all))
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }
}
