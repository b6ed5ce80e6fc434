extension Runtime {
  /// Interprets an effect as this tree.
  ///
  /// - Parameter isLifted: the tree is known to others already, who may have cancelled it.
  /// - Returns: whether the store is active.
  @discardableResult
  func begin(
    _ program: EffectProgram, in tree: TreeContext, isLifted: Bool, mayCommit: Bool, round: LiftRound? = nil
  ) -> Bool {
    var (isActive, isBegun) = (true, false)
    perform(in: tree, mayCommit: mayCommit, round: round) { core in
      if !core.isActive {
        isActive = false
        noteIgnored(program, &core)
        // It may be a cancel, of what a deactivation has cancelled that is still on its way into other stores.
        core.machine.standStillForBarrier(&core.pass)
      } else if !isLifted || !tree.isCancelled {
        isBegun = true
        tree.began(at: core.machine.begin(program, context: tree, &core.pass))
      }
    }
    if !isBegun {
      var round = round
      tree.settle(isActive ? .cancelled : .inactive, isOver: true, &round)
    }
    return isActive
  }

  private func noteIgnored(_ program: EffectProgram, _ core: inout Core) {
    guard core.machine.isTraced else { return }
    let node = program.node
    core.deliveries.append(.event(.ignored(node.count == 1 ? node.describe(at: 0) : node.summary)))
  }
}
