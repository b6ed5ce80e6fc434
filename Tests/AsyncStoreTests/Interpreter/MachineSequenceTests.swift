import Testing

@testable import AsyncStore

/// Law 25 by tables: compensations are commits with a member's number and 100.
@Suite("The machine's sequences")
struct MachineSequenceTests {
  private static func step(_ number: Int) -> Tree { .compensated(.commit(number), by: .commit(number + 100)) }

  private static let pair: [Tree] = [step(1), step(2)]
  private static let failing = Tree.sequence(pair + [.operate(3), .commit(4)])

  /// Trees, the events that follow, the commits, and the ending.
  static let cases: [(Tree, [TestEvent], [Int], TestEnding)] = [
    (failing, [.finish(0, .none)], [1, 2, 4], .finished),
    (failing, [.fail(0, 7), .answer(1, .commit(9))], [1, 2, 102, 101, 9], .failed(7)),
    (failing, [.cancelTree(0), .finish(0, .none)], [1, 2, 102, 101], .cancelled),
    (.scope(1, failing), [.cancel(.all), .finish(0, .none)], [1, 2, 102, 101], .cancelled),
    (.concatenate(failing, .commit(5)), [.fail(0, 7), .answer(1, .none)], [1, 2, 102, 101, 5], .failed(7)),
    // Cancelled within a member: by its identifier, refused, in a merge, followed by another effect.
    (
      .sequence(step(1), .scope(1, .operate(2)), .commit(3)), [.cancel(.all), .finish(0, .none)], [1, 101], .cancelled
    ),
    (
      .sequence(step(1), .concatenate(.scope(1, .sleep(1)), .commit(2)), .commit(3)), [.cancel(.all)], [1, 2, 3],
      .finished
    ),
    (.sequence(step(1), .merge(.scope(1, .sleep(1)), .commit(2)), .commit(3)), [.cancel(.all)], [1, 2, 3], .finished),
    (
      .merge(.scope(1, .sleep(9)), .sequence(step(1), .scope(1, .keepFirst, .commit(2)), .commit(3))), [.cancel(.all)],
      [1, 101], .finished
    ),
    // Nested in another sequence, and in a retry.
    (
      .sequence(.sequence(pair), step(3), .operate(4)), [.fail(0, 7), .answer(1, .none)], [1, 2, 3, 103, 102, 101],
      .failed(7)
    ),
    (
      .retry(RetrySchedule.constant(.nanoseconds(1)).limitedTo(attempts: 2), failing),
      [.fail(0, 7), .fire(late: 0), .finish(1, .none)], [1, 2, 102, 101, 1, 2, 4], .finished
    ),
    // An effect that failed with an error is not undone, even if the error was handled.
    (
      .sequence(.recover(.compensated(.operate(1), by: .commit(101)), answer: .commit(2)), .operate(3)),
      [.fail(0, 7), .answer(1, .none), .fail(2, 8), .answer(3, .none)], [2], .failed(8)
    ),
    // A deactivation undoes nothing.
    (failing, [.cancelAll, .finish(0, .none)], [1, 2], .cancelled),
  ]

  @Test("A long list of members is divided under several locks, and a cancel in between releases all of it")
  func law11_division() {
    let count = 10_000
    for tree in [Tree.sequence((1...count).map { .commit($0) }), .merge((1...count).map { .commit($0) }, limit: 2)] {
      for isCancelled in [false, true] {
        var machine = Machine<TestProgram>(seed: 1)
        var pass = Pass<TestProgram>(stepLimit: 100) { .zero }
        pass.start()
        machine.received(TestProgram(tree), context: 0, &pass)
        let divided = machine.fibers.slots.map { machine.fibers[$0].rare?.pointee.backlog.count ?? 0 }.reduce(0, +)
        #expect(1...800 ~= divided)
        #expect(pass.directives.isEmpty && !machine.ready.isEmpty)
        var (locks, commits) = (1, 0)
        if isCancelled {
          pass.start()
          machine.cancelled(.all, &pass)
          machine.allCancelled(&pass)
        }
        while !machine.ready.isEmpty {
          pass.start()
          machine.step(&pass)
          locks += 1
          commits += pass.takeDirectives().count { if case .commit = $0 { true } else { false } }
        }
        #expect(commits == (isCancelled ? 0 : count))
        #expect(isCancelled || locks > count / 100)
        let isAtRest = machine.isAtRest
        #expect(isAtRest)
        // With the list itself, which may hold the last references to its closures.
        #expect(machine.released.programs.count > 0)
      }
    }
  }

  @Test("A sequence undoes what has completed, the last one first, and nothing else", arguments: cases)
  func undo(tree: Tree, events: [TestEvent], commits: [Int], ending: TestEnding) {
    var shell = MachineShell()
    shell(.begin(tree, 0))
    for event in events { shell(event) }
    #expect(shell.commits == commits)
    #expect(shell.endings[0] == ending)
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("A sequence continues undoing if a compensation is cancelled by its own identifier")
  func cancelledCompensation() {
    var shell = MachineShell()
    let slow = Tree.compensated(.commit(2), by: .scope(1, .sleep(9)))
    shell(.begin(.sequence(Self.step(1), slow, .operate(3)), 0))
    shell(.fail(0, 7))
    #expect(shell.commits == [1, 2])
    shell(.cancel(.all))
    #expect(shell.commits == [1, 2, 101])
    shell(.answer(1, .none))
    #expect(shell.endings[0] == .failed(7))
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("A sequence continues undoing if it is cancelled while it undoes")
  func cancelledWhileUndoing() {
    var shell = MachineShell()
    let slow = Tree.compensated(.commit(2), by: .concatenate(.sleep(9), .commit(102)))
    shell(.begin(.scope(1, .sequence(Self.step(1), slow, .operate(3))), 0))
    shell(.fail(0, 7))
    shell(.cancel(.all))
    shell(.cancelTree(0))
    #expect(shell.commits == [1, 2])
    #expect(shell.endings[0] == nil)
    shell(.fire(late: 0))
    #expect(shell.commits == [1, 2, 102, 101])
    #expect(shell.outputs.contains(.handle(call: 1, 7, byRecover: false)))
    shell(.answer(1, .none))
    #expect(shell.endings[0] == .cancelled)
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  @Test("A deactivation cuts a sequence short while it undoes")
  func abandonedWhileUndoing() {
    var shell = MachineShell()
    let slow = Tree.compensated(.commit(2), by: .concatenate(.sleep(9), .commit(102)))
    shell(.begin(.scope(1, .sequence(Self.step(1), slow, .operate(3))), 0))
    shell(.fail(0, 7))
    shell(.cancelAll)
    shell(.answer(1, .none))
    #expect(shell.commits == [1, 2])
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }
}
