import Foundation
import Testing

@testable import AsyncStore

@Suite("The machine's space", .serialized)
struct MachineSpaceTests {
  private func begin(
    _ shape: LazyShape, size: Int, on machine: inout Machine<TestProgram>
  ) -> [Directive<TestProgram>] {
    var pass = Pass<TestProgram>(stepLimit: .max) { .zero }
    let isWide = [.wideMerge, .wideScopes].contains(shape)
    machine.received(isWide ? .merged(shape, size: size) : .generated(shape, size: size), context: 0, &pass)
    return pass.takeDirectives()
  }

  /// Ends the operations that were started, and counts the commits on the way.
  private func finish(
    _ machine: inout Machine<TestProgram>, _ directives: [Directive<TestProgram>]
  ) -> (commits: Int, isSettled: Bool) {
    var (commits, isSettled) = (0, false)
    func count(_ directives: [Directive<TestProgram>]) {
      for directive in directives {
        if case .commit(_, _, let count) = directive { commits += Int(count) }
        if case .settle = directive { isSettled = true }
      }
    }
    count(directives)
    for directive in directives {
      guard case .operate(let fiber, _) = directive else { continue }
      var pass = Pass<TestProgram>(stepLimit: .max) { .zero }
      machine.operationFinished(fiber, nil, &pass)
      count(pass.takeDirectives())
    }
    return (commits, isSettled)
  }

  private func operations(_ directives: [Directive<TestProgram>]) -> Int {
    directives.count { if case .operate = $0 { true } else { false } }
  }

  /// The size of the large trees, which `ASYNCSTORE_SIZE` sets.
  private static let large = ProcessInfo.processInfo.environment["ASYNCSTORE_SIZE"].flatMap { Int($0) } ?? 2_000

  @Test(
    "A very deep tree is interpreted without a stack overflow",
    arguments: [
      (LazyShape.nestedConcatenations, large), (.nestedMerges, large), (.nestedScopes, 0), (.nestedRecoveries, 0),
    ])
  func law23_deep(shape: LazyShape, commits: Int) {
    var machine = Machine<TestProgram>(seed: 1)
    let directives = begin(shape, size: Self.large, on: &machine)
    let end = finish(&machine, directives)
    #expect(end.commits == commits && end.isSettled && machine.isAtRest && machine.fibers.count < 5_000)
  }

  @Test(
    "A very deep tree is cancelled without a stack overflow",
    arguments: [LazyShape.nestedConcatenations, .nestedMerges, .nestedScopes, .nestedRecoveries])
  func law23_deepCancelled(shape: LazyShape) {
    var machine = Machine<TestProgram>(seed: 1)
    let directives = begin(shape, size: Self.large, on: &machine)
    var pass = Pass<TestProgram>(stepLimit: .max) { .zero }
    if shape == .nestedScopes { machine.cancelled(.all, &pass) } else { machine.allCancelled(&pass) }
    let end = finish(&machine, directives)
    #expect(end.isSettled && machine.isAtRest && machine.fibers.count < 5_000)
  }

  @Test(
    "A very wide tree is interpreted, and gives its memory back",
    arguments: [LazyShape.wideMerge, .wideConcatenation, .wideScopes])
  func law23_wide(shape: LazyShape) {
    var machine = Machine<TestProgram>(seed: 1)
    let directives = begin(shape, size: Self.large, on: &machine)
    let end = finish(&machine, directives)
    #expect(
      end.commits + operations(directives) >= Self.large && end.isSettled && machine.isAtRest
        && machine.fibers.count < 5_000)
  }

  @Test("A very wide tree is cancelled, and leaves nothing behind", arguments: [LazyShape.wideMerge, .wideScopes])
  func law23_wideCancelled(shape: LazyShape) {
    var machine = Machine<TestProgram>(seed: 1)
    let directives = begin(shape, size: Self.large, on: &machine)
    var pass = Pass<TestProgram>(stepLimit: .max) { .zero }
    machine.cancelled(.all, &pass)
    machine.allCancelled(&pass)
    #expect(finish(&machine, directives).isSettled && machine.isAtRest)
  }

  @Test("A very wide race that waits for a lift in its middle is cancelled in linear time", .timeLimit(.minutes(10)))
  func law23_wideRaceCancelled() {
    // Each entrant that ends asks whether another one may have completed. If each looked at all of them, this would
    // take longer than the limit.
    let count = TestSize.many(200_000)
    var entrants = Array(repeating: Tree.sleep(1), count: count)
    entrants[count / 2] = .lift(1)
    var shell = MachineShell()
    shell(.begin(.sequence(.compensated(.race(entrants, toSucceed: false), by: .commit(2))), 0))
    shell(.cancelTree(0))
    #expect(shell.outputs == [.cancel(call: 0)])
    shell(.settleLift(0, .cancelledAfterwards, isOver: true))
    #expect(shell.outputs.first == .commit(2))
    let isAtRest = shell.machine.isAtRest
    #expect(isAtRest)
  }

  /// The number of steps for the machine alone.
  ///
  /// The store's own test takes ten million.
  private static var tailSteps: Int { 10 * large }

  @Test("Steps in tail position take constant space")
  func law23_tail() {
    var machine = Machine<TestProgram>(seed: 1)
    let program = TestProgram.list([.concatenate(.none, .operate(0))])
    var pass = Pass<TestProgram>(stepLimit: .max) { .zero }
    var fiber = machine.received(program, context: 0, &pass)!
    _ = pass.takeDirectives()
    for _ in 0..<Self.tailSteps {
      machine.operationFinished(fiber, program, &pass)
      guard case .operate(let next, _) = pass.takeDirectives().first else { break }
      fiber = next
    }
    #expect(machine.fibers.count == 1 && machine.fibers[FiberSlot(index: 0)].outer.isEmpty)
    machine.operationFinished(fiber, nil, &pass)
    let isAtRest = machine.isAtRest
    #expect(isAtRest)
  }

  @Test("Fibers may be moved as bytes, as their table does when it grows")
  func fibersAreMovable() {
    #expect(_isBitwiseTakable(Fiber<EffectProgram>.self) && _isBitwiseTakable(Fiber<TestProgram>.self))
    #expect(MemoryLayout<Fiber<EffectProgram>>.size < 160)
  }

  @Test("The machine's instructions and directives are four words at most")
  func messagesAreSmall() {
    #expect(MemoryLayout<Instruction<EffectProgram>>.size <= 32)
    #expect(MemoryLayout<Directive<EffectProgram>>.size <= 32)
  }

  @Test("A scope that restarts itself a hundred thousand times takes constant space")
  func law23_restartingScope() {
    var machine = Machine<TestProgram>(seed: 1)
    let program = TestProgram(.scope(1, .operate(0)))
    var pass = Pass<TestProgram>(stepLimit: .max) { .zero }
    machine.received(program, context: 0, &pass)
    for _ in 0..<TestSize.many(100_000) {
      guard case .operate(let fiber, _) = pass.takeDirectives().last else { break }
      machine.operationFinished(fiber, program, &pass)
    }
    #expect(machine.fibers.count < 8)
    machine.allCancelled(&pass)
    guard case .operate(let fiber, _) = pass.takeDirectives().first else { return }
    machine.operationFinished(fiber, nil, &pass)
    let isAtRest = machine.isAtRest
    #expect(isAtRest)
  }
}
