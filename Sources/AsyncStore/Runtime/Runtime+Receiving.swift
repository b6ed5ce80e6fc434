/// The first events of received effects.
extension Runtime {
  /// Interprets an effect as this tree.
  ///
  /// - Parameters:
  ///   - inherited: true if the task-local values of the tree hold on this thread.
  ///   - isLifted: true if others know the tree already and may have cancelled it.
  ///   - leavesLast: true if the caller starts the last operation itself.
  /// - Returns: true if the store takes the effect; and the operation that is left to the caller, if there is one.
  @discardableResult
  func begin(
    _ program: EffectProgram, in tree: TreeContext, inherited: Bool = true, isLifted: Bool, mayCommit: Bool,
    leavesLast: Bool = false, round: LiftRound? = nil
  ) -> (isTaken: Bool, left: Run?) {
    var (isTaken, isBegun) = (true, false)
    var chores = Chores()
    if leavesLast { chores.waitingTree = tree }
    let context = inherited ? tree : nil
    lockOnly { core in
      step(&core, driver: nil, in: { context }, mayCommit: mayCommit, into: &chores) { core in
        isTaken = takes(program, &core)
        if isTaken, !isLifted || !tree.isCancelled {
          isBegun = true
          tree.began(at: core.machine.received(program, context: tree, &core.pass))
        }
      }
    }
    follow(&chores, in: context, mayCommit: mayCommit, round)
    if !isBegun {
      var round = round
      tree.settle(isTaken ? .cancelled : .inactive, isOver: true, .incomplete, &round)
    }
    return (isTaken, chores.successor)
  }

  /// Begins a tree that is a single operation, the fast path.
  ///
  /// The caller starts the operation's task; nothing else follows. Its measured reason is beside the machine's part of
  /// it, in `Machine+SingleOperation`.
  ///
  /// - Returns: the operation; or `nil` if ``begin(_:in:inherited:isLifted:mayCommit:leavesLast:round:)`` has to be
  ///   called.
  func begin(operation program: EffectProgram, in tree: TreeContext) -> Run? {
    // While another store is locked here, nothing starts.
    guard program.isOperation, !Thread.hasLockedStore else { return nil }
    return lock { core -> Run? in
      guard core.isActive else { return nil }
      core.pass.start()
      guard let id = core.machine.operationReceived(program, context: tree, &core.pass) else { return nil }
      tree.began(at: id)
      return core.insert(Run(self, id, program.node, tree: tree))
    }
  }

  /// Interprets an effect that is nothing but a cancel, which needs no tree.
  ///
  /// - Returns: true if the store takes the effect.
  func cancel(_ scopes: Selection<EffectID>, for program: EffectProgram, mayCommit: Bool) -> Bool {
    var isTaken = true
    perform(mayCommit: mayCommit) { core in
      isTaken = takes(program, &core)
      if isTaken { core.machine.cancelled(scopes, &core.pass) }
    }
    return isTaken
  }

  /// Returns whether an effect is interpreted now, and tells the instrument of one that is not.
  @inline(__always)
  private func takes(_ program: EffectProgram, _ core: inout Core) -> Bool {
    let node = program.node
    switch core.phase {
    case .active: return true
    case .draining where node.cancelledScopes != nil: return true
    case .draining, .cleaningUp, .inactive: break
    }
    if core.machine.isTraced {
      record(.ignored, node.count == 1 ? node.describe(at: 0) : node.summary, &core)
    }
    // It may be a cancel of something that a deactivation has cancelled, with a barrier still on its way into other
    // stores.
    core.machine.noteCancel(&core.pass)
    return false
  }
}
