/// The work of one call after its lock: lifts that begin or have settled in other stores, suspended passes, answers.
///
/// Each item may lead to more items. They are kept in a list, so that depth costs no stack. Each call from outside has
/// a round of its own, and returns when the round is over. Then the prefix of the received effect is complete, wherever
/// the call came from.
///
/// `@unchecked`: only one thread at a time uses the round: the thread that created it, or the task that it was handed
/// over to. Other closures that capture it don't escape.
final class Round: @unchecked Sendable {
  private enum Item {
    /// Begin the effect in the other store; `inherited` is true if the task-local values of the lift's tree are bound
    /// on this thread.
    case begin(Run, EffectNode, inherited: Bool, DeliveryLineage?)
    /// Wait for the lifted effect, which has run its prefix, unless it has settled.
    case await(Run, TreeContext, inherited: Bool, DeliveryLineage?)
    /// Handle the settled effect; `inherited` is true if it settled at once and the values are bound.
    case settled(Run, TreeContext, inherited: Bool, DeliveryLineage?)
    /// End a lift that has nothing left in the other store.
    case over(Run)
    /// Stop the effect's timers and sources in the other store, or let them begin again.
    case drain(Run)
    /// Report the answer of a handler or a condition.
    case answer(Answer)
    /// Carry out the chores of a step that come after such an answer, or a question that comes after other items.
    indirect case rest(Chores, Runtime, in: TreeContext?)
    /// Carry out the consequences of a mutation's call that come after such an answer.
    indirect case deferred(DeferredChores)
    /// Start the next operation of a driver, which comes after such an answer.
    case start(EffectNode, after: Run)
    /// Continue a pass that has given up the lock.
    case resume(SuspendedPass)
    /// Begin to commit the effects that have waited for their turn on the store's actor.
    case beginTurns(Runtime)
    /// Commit this many of those effects.
    case takeTurns(Runtime, count: Int)
    /// End the turns: all of those effects, and everything that follows from them, have committed.
    case endTurns(Runtime)
    /// Perform the item now, without waiting for more turns.
    indirect case afterTurns(Item)

    /// The deliveries that the item follows from, possibly none; `nil` if it follows from those of the round.
    var lineage: DeliveryLineage?? {
      switch self {
      case .begin(_, _, _, let lineage), .await(_, _, _, let lineage), .settled(_, _, _, let lineage): lineage
      case .afterTurns(let item): item.lineage
      case .over, .drain, .answer, .rest, .deferred, .start, .resume, .beginTurns, .takeTurns, .endTurns: nil
      }
    }
  }

  private var stack: ContiguousArray<Item> = []
  /// The items that follow from the current one, in order.
  private var following: ContiguousArray<Item> = []
  /// True if an answer is among the items that follow from the current one.
  private(set) var hasAnswer = false
  /// The parts of the round that may continue in a task if they become very long.
  private(set) var handover = Handover.nothing
  /// The number of stores whose turns the round is taking.
  private var turnDepth = 0

  /// True if very long passes may continue in tasks; passes of a turn may not, because the next turn waits for them.
  var handsOver: Bool { handover.isAllowed && turnDepth == 0 }

  /// True if items follow from the current one.
  var hasItems: Bool { !following.isEmpty }

  /// Performs the items depth-first: the consequences of an item come before its siblings.
  ///
  /// - Parameters:
  ///   - runtime: the store that the round is for, on whose executor it may continue.
  ///   - handover: the parts that may continue in a task if they become very long.
  func run(for runtime: Runtime? = nil, _ handover: Handover = .nothing) {
    self.handover = handover
    guard DeliveryLoop.isRunning else { return DeliveryLoop.begin { run(for: runtime, handover) } }
    let lineage = DeliveryLoop.lineage
    defer { DeliveryLoop.setLineage(to: lineage) }
    var count = 0
    while true {
      while let item = following.popLast() { stack.append(item) }
      hasAnswer = false
      if let runtime, count >= InlineWorkLimit.items, handover.isEverything, turnDepth == 0, !stack.isEmpty {
        return handOver(to: runtime)
      }
      guard let item = stack.popLast() else { return }
      DeliveryLoop.setLineage(to: item.lineage ?? lineage)
      perform(item)
      count += 1
    }
  }

  /// Continues in a task.
  ///
  /// No part of the round uses task-local values of this thread, because no caller waits for it.
  private func handOver(to runtime: Runtime) {
    let handover = handover
    handover.emission?.continuesElsewhere()
    runtime.continueInTask {
      self.run(for: runtime, handover)
      handover.emission?.partEnded()
    }
  }

  /// - Parameter inherited: true if the task-local values of the lift's tree are bound on this thread.
  func begin(
    _ run: Run, _ node: EffectNode, inherited: Bool, _ lineage: DeliveryLineage? = DeliveryLoop.lineage
  ) {
    following.append(.begin(run, node, inherited: inherited, lineage))
  }
  func settled(_ run: Run, _ tree: TreeContext) {
    following.append(.settled(run, tree, inherited: false, DeliveryLoop.lineage))
  }
  func over(_ run: Run) { following.append(.over(run)) }
  func drain(_ run: Run) { following.append(.drain(run)) }
  func take(_ answer: Answer) {
    hasAnswer = true
    following.append(.answer(answer))
  }
  func addRest(_ chores: Chores, of runtime: Runtime, in context: TreeContext?) {
    following.append(.rest(chores, runtime, in: context))
  }
  func add(_ deferred: DeferredChores) { following.append(.deferred(deferred)) }

  /// Continues a driver with its next operation: a lift as an item, any other operation in a task of its own.
  func continueDriver(_ run: Run, with next: EffectNode, in context: TreeContext?) {
    if run.isLift {
      begin(run, next, inherited: run.tree == nil || run.tree === context)
    } else if hasAnswer {
      following.append(.start(next, after: run))
    } else {
      run.runtime.start(next, after: run)
    }
  }
  func resume(_ pass: SuspendedPass) { following.append(.resume(pass)) }

  private func perform(_ item: Item, waitsForTurns: Bool = true) {
    switch item {
    case .begin(let run, let node, let inherited, let lineage):
      guard let lift = node.lift else { preconditionFailure("\(node.summary) is not a lift") }
      if waitsForTurns, putOff(item, for: lift.target.runtime) { return }
      let tree = begin(lift.effect, in: lift.target, liftedBy: run, inherited: inherited)
      following.append(.await(run, tree, inherited: inherited, lineage))
    case .await(let run, let tree, let inherited, let lineage):
      if tree.outcomeIfSettled == nil {
        if inherited { run.tree?.keepInheritance() }
        // The following steps begin on the thread that settles the other tree, where the inherited values of this tree
        // are not bound.
        if tree.whenSettled(resume: run) { return }
      }
      following.append(.settled(run, tree, inherited: inherited, lineage))
    case .settled(let run, let tree, let inherited, _):
      if waitsForTurns, putOff(item, for: run.runtime) { return }
      liftSettled(run, tree, isDriven: inherited)
    case .over(let run):
      run.runtime.liftEnded(run, in: self)
    case .drain(let run):
      run.liftedTree?.drain(as: run, in: self)
    case .answer(let answer):
      if waitsForTurns, putOff(item, for: answer.runtime) { return }
      answer.report(mayCommit: answer.runtime.isOnIsolation(), in: self)
    case .rest(var chores, let runtime, let context):
      var round: Round? = self
      runtime.carryOut(&chores, in: context, &round)
    case .deferred(let deferred):
      deferred.carryOut(in: self)
    case .start(let next, let run):
      run.runtime.start(next, after: run)
    case .resume(let pass):
      pass.resume(in: self)
    case .beginTurns(let runtime):
      guard let count = runtime.beginTurns() else { return }
      turnDepth += 1
      following += [.takeTurns(runtime, count: count), .endTurns(runtime)]
    case .takeTurns(let runtime, let count):
      let left = count - runtime.takeTurn(in: self)
      if left > 0 { following.append(.takeTurns(runtime, count: left)) }
    case .endTurns(let runtime):
      turnDepth -= 1
      runtime.endTurns()
    case .afterTurns(let item):
      perform(item, waitsForTurns: false)
    }
  }

  /// Puts an item off until the effects waiting for their turn in its store have committed.
  ///
  /// These effects may lift into a store where others have waited, and so on; so their turns are items too.
  ///
  /// - Returns: false if there are no such effects.
  @inline(__always)
  private func putOff(_ item: Item, for store: Runtime) -> Bool {
    guard store.isolation != nil, store.hasWaitingTurns else { return false }
    following += [.beginTurns(store), .afterTurns(item)]
    return true
  }
}

extension Round? {
  /// The current round, created for the first item that needs one.
  var orNew: Round {
    mutating get {
      if let self { return self }
      let new = Round()
      self = new
      return new
    }
  }

  /// True if items follow from the current one.
  var hasItems: Bool { self?.hasItems ?? false }

  /// True if the answer to a question has yet to be reported.
  var hasAnswer: Bool { self?.hasAnswer ?? false }
}
