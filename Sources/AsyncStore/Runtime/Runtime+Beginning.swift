extension Runtime {
  /// Interprets an effect as this tree.
  ///
  /// - Parameter isLifted: true if others know the tree already and may have cancelled it.
  /// - Returns: true if the store takes the effect.
  @discardableResult
  func begin(
    _ program: EffectProgram, in tree: TreeContext, isLifted: Bool, mayCommit: Bool, round: LiftRound? = nil
  ) -> Bool {
    var (isTaken, isBegun) = (true, false)
    perform(in: tree, mayCommit: mayCommit, round: round) { core in
      isTaken = core.takes(program)
      if !isTaken {
        noteIgnored(program, &core)
        // It may be a cancel of something that a deactivation has cancelled, with a barrier still on its way into other
        // stores.
        core.machine.standStillForBarrier(&core.pass)
      } else if !isLifted || !tree.isCancelled {
        isBegun = true
        tree.began(at: core.machine.begin(program, context: tree, &core.pass))
      }
    }
    if !isBegun {
      var round = round
      tree.settle(isTaken ? .cancelled : .inactive, isOver: true, &round)
    }
    return isTaken
  }

  /// Tells the instrument of an effect that is not taken.
  private func noteIgnored(_ program: EffectProgram, _ core: inout Core) {
    guard core.machine.isTraced else { return }
    let node = program.node
    core.deliveries.append(.event(.ignored(node.count == 1 ? node.describe(at: 0) : node.summary)))
  }
}

extension Core {
  /// Returns whether an effect is interpreted now: while the store drains only a cancel, which begins nothing.
  fileprivate func takes(_ program: EffectProgram) -> Bool {
    switch phase {
    case .active: true
    case .draining: if case .cancel = program.node.instruction { true } else { false }
    case .cleaningUp, .inactive: false
    }
  }
}
