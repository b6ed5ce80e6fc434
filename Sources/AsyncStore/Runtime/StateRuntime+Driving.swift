extension StateRuntime {
  // MARK: Operations

  /// An operation has returned an effect, or thrown.
  ///
  /// - Returns: the operation that the same task goes on with.
  func operationEnded(
    _ run: Run, _ effect: consuming Effect, _ failure: (any Error)? = nil
  ) -> EffectNode? {
    // Taken apart and not copied: a recursion comes here at each level.
    switch consume effect {
    case .node(let next):
      if failure == nil, next.isOperation, goesOn(run.id, with: next) { return next }
      return goOn(run, with: .node(next), failure)
    case let other:
      return goOn(run, with: other, failure)
    }
  }

  private func goOn(_ run: Run, with effect: Effect, _ failure: (any Error)?) -> EffectNode? {
    let (id, mayCommit) = (run.id, isOnIsolation())
    return perform(driver: run, in: run.tree, mayCommit: mayCommit) { core in
      if let failure {
        core.machine.operationFailed(id, failure, &core.pass)
      } else if case .set(let mutation) = effect, mayCommit, !core.machine.isTraced, !core.machine.isCancelled(id) {
        // Committed in place: the follow-up that nearly every operation has needs no program of its own.
        apply(mutation, &core)
        core.machine.operationFinished(id, nil, &core.pass)
      } else {
        core.machine.operationFinished(id, effect.program, &core.pass)
      }
    }
  }

  /// The short way of an operation that answers with another one, which a recursion takes millions of times: nothing
  /// happens but that the fiber stands at the next one.
  private func goesOn(_ id: FiberID, with next: EffectNode) -> Bool {
    // The effect that the fiber stood at is released after the lock.
    var program: EffectProgram? = EffectProgram(node: next)
    return lock { $0.machine.operationGoesOn(id, with: &program) }
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

  /// A source's next effect.
  ///
  /// - Parameter isInTree: whether the task-local values and the priority of the source's tree hold on this thread.
  /// - Returns: whether the source is still alive.
  @discardableResult
  func emit(_ effect: consuming Effect, from id: FiberID, isInTree: Bool) -> Bool {
    guard let effect = commitInPlace(effect, of: id) else { return true }
    return interpret(effect, from: id, isInTree: isInTree)
  }

  /// The short way of a binding that copies values and of a timer that counts: a change of the state needs no fiber of
  /// its own where nothing of the source's earlier effects is left to wait for or to cancel.
  ///
  /// - Returns: the effect, if that is not so.
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
