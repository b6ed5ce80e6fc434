extension StateRuntime {
  // MARK: Operations

  /// Handles the end of an operation, which has returned an effect or thrown.
  ///
  /// - Returns: the operation that the same task goes on with.
  func operationEnded(
    _ run: Run, _ effect: consuming Effect, _ failure: (any Error)? = nil
  ) -> EffectNode? {
    // Consumed and not copied, because a recursion comes here at each level.
    switch consume effect {
    case .node(let next):
      if failure == nil, next.isOperation, goesOn(run.id, with: next) { return next }
      return goOn(run, with: .node(next), failure)
    case let other:
      return goOn(run, with: other, failure)
    }
  }

  /// Takes the short way for an operation that returns another one: nothing happens but that the fiber stands at that
  /// one.
  ///
  /// A recursion takes it millions of times.
  private func goesOn(_ id: FiberID, with next: EffectNode) -> Bool {
    // The effect that the fiber stood at is released after the lock.
    var program: EffectProgram? = EffectProgram(node: next)
    return lock { $0.machine.operationGoesOn(id, with: &program) != nil }
  }

  private func goOn(_ run: Run, with effect: Effect, _ failure: (any Error)?) -> EffectNode? {
    let (id, mayCommit) = (run.id, isOnIsolation())
    var chores = Chores()
    // As above: the next operation of a list usually follows a change of the state, or nothing.
    var (done, next): (EffectProgram?, EffectProgram?)
    lock { core in
      let isInPlace = failure == nil && commitInPlace(effect, mayCommit: mayCommit, of: id, &core)
      if isInPlace { next = core.machine.operationGoesOn(id, with: &done) }
      guard next == nil else { return chores.hasDeliveries = !core.deliveries.isEmpty }
      step(&core, driver: run, in: { run.tree }, mayCommit: mayCommit, into: &chores) { core in
        if let failure {
          core.machine.operationFailed(id, failure, &core.pass)
        } else {
          core.machine.operationFinished(id, isInPlace ? nil : effect.program, &core.pass)
        }
      }
    }
    guard let next else { return follow(&chores, driver: run, in: run.tree, mayCommit: mayCommit, nil) }
    if chores.hasDeliveries { DeliveryLoop.deliver(from: self) }
    return next.node
  }

  /// Applies the follow-up that nearly every operation has, which needs no program of its own.
  ///
  /// - Returns: true if that interprets the effect.
  private func commitInPlace(_ effect: Effect, mayCommit: Bool, of id: FiberID, _ core: inout Core) -> Bool {
    guard !core.machine.isTraced, !core.machine.isCancelled(id) else { return false }
    switch effect {
    case .none: return true
    case .set(let mutation):
      if mayCommit { apply(mutation, &core) }
      return mayCommit
    case .node: return false
    }
  }

  // MARK: Sources

  func iterateSequence(_ run: Run, _ iterate: @escaping ClosureNode.Iteration) {
    let body: @Sendable () async -> Void = { [self] in
      guard !run.isCancelled else { return sourceEnded(run) }
      do {
        try await iterate({ run.isCancelled }) { effect in self.emit(effect, from: run.id, isInTree: true) }
        sourceEnded(run)
      } catch {
        sourceEnded(run, error)
      }
    }
    run.started(executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body))
  }

  func attachBinding(_ run: Run, _ attach: ClosureNode.BindingSetup) {
    guard let detach = attach(self, run) else { return sourceEnded(run) }
    // The run keeps this closure.
    run.started { [self, weak run] in
      detach()
      if let run { sourceEnded(run) }
    }
  }

  /// Interprets the next effect of a source.
  ///
  /// - Parameter isInTree: true if the task-local values and the priority of the source's tree hold on this thread.
  /// - Returns: whether the source is still alive.
  @discardableResult
  func emit(_ effect: consuming Effect, from id: FiberID, isInTree: Bool) -> Bool {
    guard let effect = commitInPlace(effect, of: id) else { return true }
    return interpret(effect, from: id, isInTree: isInTree)
  }

  /// Takes the short way for a binding that copies values and a timer that counts.
  ///
  /// A change of the state needs no fiber of its own if nothing of the source's earlier effects is left to wait for or
  /// to cancel.
  ///
  /// - Returns: the effect, if it was not applied.
  @inline(__always)
  func commitInPlace(_ effect: consuming Effect, of source: FiberID) -> Effect? {
    guard effect.isSet, isOnIsolation() else { return effect }
    let mutation = effect.takeMutation()
    return commitInPlace(mutation, of: source) ? nil : .set(mutation)
  }

  private func commitInPlace(_ mutation: AsyncStore<State, Env>.Mutation, of source: FiberID) -> Bool {
    var hasDeliveries = false
    let isDone = lock { core in
      guard core.machine.mayCommitInPlace(source) else { return false }
      apply(mutation, &core)
      hasDeliveries = !core.deliveries.isEmpty
      return true
    }
    if hasDeliveries { DeliveryLoop.deliver(from: self) }
    return isDone
  }

  private func interpret(_ effect: Effect, from id: FiberID, isInTree: Bool) -> Bool {
    var isAlive = false
    var tree: TreeContext?
    perform(in: tree) { core in
      isAlive = !core.machine.isCancelled(id)
      guard isAlive else { return }
      if isInTree { tree = core.machine.context(of: id) }
      core.machine.emitted(id, effect.program, &core.pass)
    }
    return isAlive
  }
}
