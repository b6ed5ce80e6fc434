import Foundation

@testable import AsyncStore

/// Draws trees and events from a seed.
struct RandomCase {
  var generator: SplitMix64
  /// True for programs that are bound to an actor.
  ///
  /// Events then happen on the actor and off it.
  let isBound: Bool
  /// True for programs that start many waiting effects under one identifier.
  let isRestarting: Bool
  /// True for trees with lifts into other stores.
  let isLifting: Bool
  /// True if the store is shut down at some time.
  let isShuttingDown: Bool
  /// True for trees with operations that one fiber runs together with what encloses them.
  let isFolding: Bool
  /// The kinds of trees, and of those without members.
  private let (kinds, leafKinds): (DrawnKinds, DrawnKinds)
  private var number = 0
  private var hasJustCancelled = false
  private let names: [Name] = [1, 11, 2]

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    isBound = generator.next() % 4 == 0
    isRestarting = generator.next() % 5 == 0
    isLifting = generator.next() % 2 == 0
    isShuttingDown = generator.next() % 6 == 0
    isFolding = generator.next() % 3 == 0
    let areFew = generator.next() % 2 == 0
    kinds = DrawnKinds(of: 36, areFew: areFew, using: &generator)
    leafKinds = DrawnKinds(of: 22, areFew: areFew, using: &generator)
  }

  private mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
  private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
  private mutating func name() -> Name { names[below(3)] }
  private mutating func fresh() -> Int {
    number += 1
    return number
  }

  private mutating func failure() -> Int { oneIn(3) ? TestProgram.cancellation : fresh() }

  // MARK: Trees

  mutating func tree(nodes: Int) -> Tree {
    var budget = 1 + below(nodes)
    return tree(&budget)
  }

  private mutating func tree(_ budget: inout Int) -> Tree {
    budget -= 1
    guard budget > 0 else { return leaf() }
    if isFolding, oneIn(3) { return enclosedOperations() }
    if isLifting, oneIn(6) { return .sequence(trees(&budget).map { oneIn(4) ? $0 : compensated($0) }) }
    switch kinds.draw(using: &generator) {
    case 30..<33: return .sequence(trees(&budget).map { oneIn(2) ? compensated($0) : $0 })
    case 33..<36: return compensated(tree(&budget), &budget)
    case 0..<6: return .concatenate(trees(&budget))
    case 6..<10: return .merge(trees(&budget), limit: oneIn(2) ? .max : 1 + below(3))
    case 10..<12: return .race(trees(&budget), toSucceed: oneIn(2))
    case 12..<18: return .scope(name(), policy(), tree(&budget))
    case 18: return oneIn(2) ? .label(tree(&budget)) : .ownLift(tree(&budget))
    case 19..<21: return .timeout(Int64(below(6)), tree(&budget), tree(&budget))
    case 21..<23: return .retry(schedule(), asks: oneIn(2), tree(&budget))
    case 23..<25: return .recover(tree(&budget), answer: tree(&budget))
    case 25..<27: return .finally(oneIn(2) ? tree(&budget) : cleaningUp(beside: tree(&budget)), tree(&budget))
    case 27: return .evaluate(fresh(), tree(&budget))
    case 28: return .timer(Int64(1 + below(4)), tree(&budget))
    default:
      let trailing = oneIn(2)
      return .throttle(name(), Int64(below(4)), leading: !trailing || oneIn(2), trailing: trailing, tree(&budget))
    }
  }

  /// Returns the tree merged with a cleanup.
  ///
  /// The cleanup may end long before the tree, for which another cleanup around both may wait.
  private mutating func cleaningUp(beside tree: Tree) -> Tree {
    .merge([oneIn(2) ? tree : .operate(fresh()), .finally(.sleep(Int64(below(5))), .commit(fresh()))], limit: .max)
  }

  private mutating func compensated(_ tree: Tree) -> Tree {
    .compensated(tree, by: oneIn(2) ? .commit(fresh()) : .operate(fresh()))
  }

  private mutating func compensated(_ tree: Tree, _ budget: inout Int) -> Tree {
    .compensated(tree, by: self.tree(&budget))
  }

  private mutating func enclosedOperations() -> Tree {
    let members = (0...below(3)).map { _ in enclosedOperation() }
    return oneIn(3) ? .concatenate(members) : .sequence(members)
  }

  /// Returns an operation with a limit in time, a retry and a compensation around it, or some of that, in any order.
  private mutating func enclosedOperation() -> Tree {
    var enclosures = [0, 1, 2]
    while oneIn(3), !enclosures.isEmpty { enclosures.remove(at: below(enclosures.count)) }
    if oneIn(4) { enclosures.reverse() }
    return enclosures.reduce(.operate(fresh())) { tree, enclosure in
      switch enclosure {
      case 0: .timeout(Int64(below(6)), tree, oneIn(2) ? .commit(fresh()) : .operate(fresh()))
      case 1: .retry(schedule(), asks: oneIn(2), tree)
      default: compensated(tree)
      }
    }
  }

  private mutating func trees(_ budget: inout Int) -> [Tree] {
    var members: [Tree] = []
    for _ in 0..<below(5) where budget > 0 { members.append(tree(&budget)) }
    return members
  }

  private mutating func leaf() -> Tree {
    if isLifting, oneIn(3) { return .lift(fresh()) }
    return switch leafKinds.draw(using: &generator) {
    case 20..<22: .attempts(schedule(), asks: oneIn(2), fresh())
    case 0: .none
    case 1..<6: .commit(fresh())
    case 6..<12: .operate(fresh())
    case 12..<15: .sleep(Int64(below(5)))
    case 15: .source(fresh(), oneIn(3) ? .each : oneIn(2) ? .latest : .serial(capacity: below(3)))
    case 16..<18: .cancel(selection())
    case 18: .join(selection())
    default: .timer(Int64(1 + below(4)), .commit(fresh()))
    }
  }

  /// Returns an effect that waits under an identifier that similar effects share: a debounce, a timeout, or something
  /// similar to one.
  private mutating func restarted() -> Tree {
    let span = Int64(1 + below(5))
    let pause: Tree = oneIn(2) ? .sleep(span) : .concatenate(.commit(fresh()), .sleep(span), .commit(fresh()))
    let body: Tree =
      switch below(8) {
      case 0..<3: pause
      case 3..<6: .timeout(Int64(1 + below(5)), pause, oneIn(2) ? .commit(fresh()) : tree(nodes: 3))
      case 6: .finally(pause, .commit(fresh()))
      default: .merge([pause, tree(nodes: 3)], limit: .max)
      }
    let scope = Tree.scope(1, oneIn(4) ? policy() : .replace, body)
    switch below(8) {
    case 0: return .concatenate(scope, .commit(fresh()))
    case 1: return .concatenate(.commit(fresh()), scope)
    case 2: return .merge([scope, .sleep(span)], limit: .max)
    case 3: return .label(scope)
    case 4: return .ownLift(scope)
    default: return scope
    }
  }

  private mutating func selection() -> Selection<Name> {
    switch below(6) {
    case 0: .all
    case 1: .prefix(1)
    case 2: .identifiers([name(), name()])
    default: .identifiers([name()])
    }
  }

  private mutating func policy() -> ScopePolicy {
    switch below(6) {
    case 0: .keepFirst
    case 1: .replaceAfterCleanup
    case 2: .queue(width: 1 + below(2), capacity: below(3))
    default: .replace
    }
  }

  private mutating func schedule() -> RetrySchedule {
    RetrySchedule.constant(.nanoseconds(below(3))).limitedTo(attempts: 1 + below(3))
  }

  // MARK: Events

  mutating func step(for shell: borrowing MachineShell, contexts: Int, nodes: Int) -> TestStep? {
    guard let event = event(for: shell, contexts: contexts, nodes: nodes) else { return nil }
    if event == .turn { return TestStep(event: event) }
    return TestStep(event: event, mayCommit: !isBound || oneIn(2))
  }

  private mutating func event(for shell: borrowing MachineShell, contexts: Int, nodes: Int) -> TestEvent? {
    if hasJustCancelled {
      // Another cancel reaches the cleanups that the last one left behind.
      hasJustCancelled = false
      if oneIn(6) { return oneIn(2) ? .cancelAll : .cancel(selection()) }
    }
    if !shell.standing.isEmpty, oneIn(3) { return .continuePass(below(shell.standing.count)) }
    if !shell.standing.isEmpty, shell.machine.isSpreadingBarrier, oneIn(3) { return .arrive }
    if isRestarting, oneIn(3) { return .begin(restarted(), contexts) }
    if isShuttingDown, oneIn(8) {
      if oneIn(3) { return oneIn(2) ? .drainTree(below(contexts)) : .endDrainingTree(below(contexts)) }
      return oneIn(2) ? .drain : oneIn(2) ? .cancelAllSparingCleanup : .endDraining
    }
    switch below(40) {
    case 0..<3:
      hasJustCancelled = true
      return oneIn(3) ? .cancelTree(below(contexts)) : .cancel(selection())
    case 3: return oneIn(6) ? .cancelAll : nil
    case 4..<7: return .begin(tree(nodes: nodes), contexts)
    case 7..<10 where shell.wantsTurn: return .turn
    case 36..<40 where isFolding: return .look
    case 10..<20 where shell.nextDeadline != nil: return .fire(late: oneIn(3) ? Int64(below(9)) : 0)
    default: break
    }
    if !shell.delayed.isEmpty, oneIn(4) { return .resume(shell.delayed.keys.sorted()[below(shell.delayed.count)]) }
    let calls = shell.running
    guard !calls.isEmpty else {
      return shell.nextDeadline != nil ? .fire(late: 0) : shell.wantsTurn ? .turn : nil
    }
    let call = calls[below(calls.count)]
    switch shell.calls[call]!.call {
    case .operation:
      return oneIn(3) ? .fail(call, failure()) : .finish(call, oneIn(3) ? tree(nodes: 5) : .none)
    case .source:
      if oneIn(8) { return .delay(call) }
      return oneIn(4) ? .end(call) : oneIn(6) ? .fail(call, failure()) : .emit(call, tree(nodes: 4))
    case .lift:
      return .settleLift(call, oneIn(3) ? .incomplete : oneIn(3) ? .cancelledAfterwards : .completed, isOver: !oneIn(3))
    case .remains:
      return .endLift(call)
    case .handler:
      return .answer(call, oneIn(3) ? tree(nodes: 4) : .none)
    case .decision:
      return .decide(call, !oneIn(3))
    case .tick:
      return .tick(call)
    }
  }
}
