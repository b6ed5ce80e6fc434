extension StateRuntime {
  // MARK: Operations

  /// Runs a strand's operation, and those that follow it in the same strand, in one task.
  func drive(_ id: StrandID, _ first: EffectNode, _ run: Run) {
    // Each literal on its own: a closure that is passed on is wrapped, and each layer is a call of the task's.
    if let executor {
      run.started(Task(executorPreference: executor) { await self.operate(id, first, run) })
    } else {
      run.started(Task { await self.operate(id, first, run) })
    }
  }

  private func operate(_ id: StrandID, _ first: EffectNode, _ run: Run) async {
    var node: EffectNode? = first
    while let current = node.take() {
      // Cancelled before its first instruction it never runs.
      guard !run.isCancelled else {
        node = operationEnded(id, run, .none)
        continue
      }
      var effect = Effect.none
      var failure: (any Error)?
      do {
        switch closure(of: current) {
        case .operation(let operation): effect = try await operation()
        case .environmentOperation(let operation): effect = try await operation(env)
        default: preconditionFailure("\(current.summary) is no operation")
        }
      } catch {
        failure = error
      }
      node = operationEnded(id, run, effect, failure)
    }
  }

  /// An operation has returned an effect, or thrown.
  ///
  /// - Returns: the operation that the same task goes on with.
  private func operationEnded(
    _ id: StrandID, _ run: Run, _ effect: consuming Effect, _ failure: (any Error)? = nil
  ) -> EffectNode? {
    // Taken apart and not copied: a recursion comes here at each level.
    switch consume effect {
    case .node(let next):
      if failure == nil, next.isOperation, goesOn(id, with: next) { return next }
      return goOn(id, run, with: .node(next), failure)
    case let other:
      return goOn(id, run, with: other, failure)
    }
  }

  private func goOn(_ id: StrandID, _ run: Run, with effect: Effect, _ failure: (any Error)?) -> EffectNode? {
    let mayCommit = isOnIsolation()
    return perform(driver: Driver(id: id, run: run, kind: .task), in: run.tree, mayCommit: mayCommit) { core in
      if let failure {
        core.machine.operationFailed(id, failure, &core.pass)
      } else if case .set(let mutation) = effect, mayCommit, !core.machine.isTraced, !core.machine.isCancelled(id) {
        // Committed in place: the follow-up that nearly every operation has needs no program of its own.
        apply(mutation.body, &core)
        core.machine.operationFinished(id, nil, &core.pass)
      } else {
        core.machine.operationFinished(id, effect.program, &core.pass)
      }
    }
  }

  /// The short way of an operation that answers with another one, which a recursion takes millions of times: nothing
  /// happens but that the strand stands at the next one.
  private func goesOn(_ id: StrandID, with next: EffectNode) -> Bool {
    // What the strand stood at is let go of after the lock.
    var program: EffectProgram? = EffectProgram(node: next)
    return lock { $0.machine.operationGoesOn(id, with: &program) }
  }

  // MARK: Other stores' effects

  /// Has other stores interpret the effects, one after the other, and goes on when the last of them has settled there.
  ///
  /// Lifts that begin or settle in consequence of each other follow each other in ``Trampoline``, and not on top of each other
  /// on the stack.
  func forward(_ id: StrandID, _ first: EffectNode, _ run: Run) {
    Trampoline.forwarding.run { self.forwardInTurn(id, first, run) }
  }

  private func forwardInTurn(_ id: StrandID, _ first: EffectNode, _ run: Run) {
    var node: EffectNode? = first
    while let current = node {
      guard case .forward(let target) = closure(of: current), let lifted = current.lifted else {
        preconditionFailure("\(current.summary) is no lift")
      }
      let other = TreeContext(target.runtime, mayOperate: lifted.mayOperate)
      // Before it begins, so that whoever cancels this effect cancels that one too, whatever it is doing just now.
      run.started { other.cancel() }
      target.begin(lifted, other)
      guard other.outcomeIfSettled != nil else {
        run.tree?.keepInheritance()
        // Whatever follows starts anew: what the tree inherited does not hold on the thread that settles the other one.
        return other.whenSettled { [self] _ in
          Trampoline.forwarding.run { _ = self.forwardedSettled(id, run, other, driver: nil) }
        }
      }
      node = forwardedSettled(id, run, other, driver: Driver(id: id, run: run, kind: .lift))
    }
  }

  /// What was waited for in the other store has settled.
  ///
  /// What it leaves running there, timers and streams, belongs to the scope of the lift: a strand stands for it here.
  private func forwardedSettled(
    _ id: StrandID, _ run: Run, _ other: TreeContext, driver: Driver?
  ) -> EffectNode? {
    let isOver = other.isOver
    var heir: (id: StrandID, run: Run)?
    let next = perform(driver: driver, in: driver == nil ? nil : run.tree) { core in
      if driver == nil { core.endRun(id, run) }
      if !isOver, let strand = core.machine.leaveDetached(id, &core.pass) { heir = (strand, core.beginRun(strand)) }
      core.machine.operationFinished(id, nil, &core.pass)
    }
    if let heir {
      heir.run.started { other.cancel() }
      other.whenOver { [self] in sourceEnded(heir.id, heir.run, nil) }
    } else if !isOver {
      other.cancel()
    }
    return next
  }

  // MARK: Sources

  func iterateSequence(_ id: StrandID, _ run: Run, _ iterate: @escaping ClosureNode.Iteration) {
    let body: @Sendable () async -> Void = { [self] in
      guard !run.isCancelled else { return sourceEnded(id, run, nil) }
      do {
        try await iterate { effect in self.emit(effect, from: id, isInTree: true) }
        sourceEnded(id, run, nil)
      } catch {
        sourceEnded(id, run, error)
      }
    }
    run.started(executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body))
  }

  func attachBinding(_ id: StrandID, _ run: Run, _ attach: ClosureNode.Attachment) {
    guard let detach = attach(self, id, run) else { return sourceEnded(id, run, nil) }
    // The run keeps this closure.
    run.started { [self, weak run] in
      detach()
      if let run { sourceEnded(id, run, nil) }
    }
  }

  /// A source's next effect.
  ///
  /// - Parameter isInTree: whether the task-local values and the priority of the source's tree hold on this thread.
  /// - Returns: whether the source is still alive.
  @discardableResult
  func emit(_ effect: consuming Effect, from id: StrandID, isInTree: Bool) -> Bool {
    switch consume effect {
    case .set(let mutation):
      if isOnIsolation(), commitInPlace(mutation, of: id) { return true }
      return interpret(.set(mutation), from: id, isInTree: isInTree)
    case let other:
      return interpret(other, from: id, isInTree: isInTree)
    }
  }

  /// The short way of a binding that copies values and of a timer that counts: a change of the state needs no strand of its own
  /// where nothing of the source's earlier effects is left to wait for or to cancel.
  func commitInPlace(_ mutation: AsyncStore<State, Env>.Mutation, of source: StrandID) -> Bool {
    var hasDeliveries = false
    let isDone = lock { core in
      guard core.machine.mayCommitInPlace(source) else { return false }
      apply(mutation.body, &core)
      hasDeliveries = !core.deliveries.isEmpty
      return true
    }
    if hasDeliveries { DeliveryLoop.deliver(from: self) }
    return isDone
  }

  private func interpret(_ effect: Effect, from id: StrandID, isInTree: Bool) -> Bool {
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

  func sourceEnded(_ id: StrandID, _ run: Run, _ error: (any Error)?) {
    perform { core in
      core.endRun(id, run)
      if let error {
        core.machine.sourceFailed(id, error, &core.pass)
      } else {
        core.machine.sourceEnded(id, &core.pass)
      }
    }
  }
}
