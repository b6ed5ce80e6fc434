/// Changes made by a call instead of an effect, `dispatch` and `update`, which are committed before the call returns.
extension Runtime {
  /// Changes the state, and continues with the effect that `body` returns.
  func dispatch(_ body: (AnyObject?, UnsafeMutableRawPointer) -> EffectNode?) -> EffectHandle {
    takeWaitingTurns()
    var tree: TreeContext?
    var chores = Chores()
    let isActive = lockOnly { core in
      var node: EffectNode?
      if core.isActive {
        change(&core) { state in
          node = body(associatedObject, state)
          return .commit()
        }
      }
      recordChange(EffectDescription(.update), &core)
      chores.hasDeliveries = mustDeliver(&core)
      guard let node else { return core.isActive }
      let context = TreeContext(self, mayOperate: node.mayOperate)
      tree = context
      process(&core, in: { context }, mayCommit: true, into: &chores) { core in
        context.began(at: core.machine.received(EffectProgram(node: node), context: context, &core.pass))
      }
      return true
    }
    finish(&chores, in: tree, mayCommit: true, nil)
    guard let tree else { return isActive ? .finished : .inactive }
    return EffectHandle(storage: .tree(tree))
  }

  /// Changes the state without beginning an effect.
  ///
  /// - Parameter body: returns whether it has changed the state.
  func update(at location: CallSite, _ body: (UnsafeMutableRawPointer) -> Bool) {
    takeWaitingTurns()
    var hasDeliveries = false
    lock { core in
      let change = core.isActive ? change(&core) { body($0) ? .commit() : .none } : nil
      if change?.isChange != false { recordChange(EffectDescription(.update, at: location), &core) }
      hasDeliveries = mustDeliver(&core)
    }
    if hasDeliveries { DeliveryLoop.deliver(from: self) }
  }
}
