extension AsyncStore {
  // MARK: Receiving

  @inline(__always)
  func receive(_ effect: Effect, mayCommit: Bool) -> EffectHandle {
    switch effect {
    case .none: runtime.isActive ? .finished : .inactive
    case .set(let mutation) where mayCommit: commit(mutation)
    default: begin(effect, mayCommit: mayCommit)
    }
  }

  /// Commits a mutation by the shortest way for the commonest effect: only the lock and the change, if nobody has to be
  /// told.
  ///
  /// A closure between the lock and the change would cost a third more, so this does not go through `Runtime.change`.
  @inline(__always)
  private func commit(_ mutation: Mutation) -> EffectHandle {
    let runtime = runtime
    let isCommitted = runtime.core.withLockIfAvailable { core in
      guard core.tellsNobody else { return false }
      runtime.noteLocked()
      mutation.apply(to: Self.state(of: runtime))
      runtime.noteUnlocked()
      return true
    }
    return isCommitted == true ? .finished : commitAndTell(mutation)
  }

  @inline(never)
  private func commitAndTell(_ mutation: Mutation) -> EffectHandle {
    let runtime = runtime
    var hasDeliveries = false
    let isActive = runtime.lock { core in
      if core.isActive { runtime.apply(mutation, &core) }
      if core.machine.isTraced { trace(mutation, &core) }
      hasDeliveries = !core.deliveries.isEmpty
      return core.isActive
    }
    if hasDeliveries { DeliveryLoop.deliver(from: runtime) }
    return isActive ? .finished : .inactive
  }

  private func trace(_ mutation: Mutation, _ core: inout Core) {
    let effect = Effect.set(mutation).summary
    core.deliveries.append(
      .event(core.isActive ? .committed(EffectRecord(id: nil, label: nil, effect: effect)) : .ignored(effect)))
  }

  @inline(never)
  private func begin(_ effect: Effect, mayCommit: Bool) -> EffectHandle {
    guard let program = effect.program else { preconditionFailure("there is nothing to begin") }
    let tree = TreeContext(runtime, mayOperate: program.node.mayOperate)
    let isActive = runtime.begin(program, in: tree, isLifted: false, mayCommit: mayCommit)
    return isActive ? EffectHandle(storage: .tree(tree)) : .inactive
  }
}
