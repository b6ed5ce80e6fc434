extension AsyncStore {
  // MARK: Operations

  /// Runs a strand's operation, and those that follow it in the same strand, in one task.
  ///
  /// While user code runs the task holds the environment and the operation, and not the store.
  func drive(_ id: StrandID, _ first: EffectNode, _ run: Run, _ tree: TreeContext?) {
    let body: @Sendable () async -> Void = { [weak self, env] in
      // Cancelled before its first instruction it never runs.
      var node: EffectNode? = run.isCancelled ? nil : first
      if node == nil {
        guard let store = self else { return tree?.orphanReturned() ?? () }
        store.operationEnded(id, run, .none)
      }
      while let current = node {
        var effect = Effect.none
        var failure: (any Error)?
        do {
          switch unsafeDowncast(current, to: ClosureNode.self).closure {
          case .operation(let operation): effect = try await operation()
          case .environmentOperation(let operation): effect = try await operation(env)
          default: preconditionFailure("\(current.summary) is no operation")
          }
        } catch {
          failure = error
        }
        guard let store = self else { return tree?.orphanReturned() ?? () }
        node = store.operationEnded(id, run, effect, failure)
        // What was cancelled by the very step that led to it never begins.
        if node != nil, Task.isCancelled, run.isCancelled { node = store.operationEnded(id, run, .none) }
      }
    }
    let task = executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body)
    run.started { task.cancel() }
  }

  /// An operation has returned an effect, or thrown.
  ///
  /// - Returns: the operation that the same task goes on with.
  @discardableResult
  private func operationEnded(
    _ id: StrandID, _ run: Run, _ effect: Effect, _ failure: (any Error)? = nil
  ) -> EffectNode? {
    let mayCommit = isOnIsolation()
    var tree: TreeContext?
    return perform(driver: Driver(id: id, run: run, kind: .task), in: tree, mayCommit: mayCommit) { core in
      tree = core.machine.context(of: id)
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

  // MARK: Other stores' effects

  /// Has other stores interpret the effects, one after the other, and goes on when the last of them has settled there.
  func forward(_ id: StrandID, _ first: EffectNode, _ run: Run, _ tree: TreeContext?) {
    var node: EffectNode? = first
    // Those that settle at once follow each other here, and not on top of each other on the stack.
    while let current = node {
      guard case .forward(let begin) = closure(of: current) else {
        preconditionFailure("\(current.summary) is no lift")
      }
      let handle = run.isCancelled ? .finished : begin()
      if case .tree(let other) = handle.storage, !handle.isFinished {
        tree?.keepInheritance()
        run.started { handle.cancel() }
        return other.whenSettled { [weak self] _ in
          guard let self else { return tree?.orphanReturned() ?? () }
          // Whatever follows starts anew: what the tree inherited does not hold on this thread.
          perform { core in
            core.endRun(id, run)
            core.machine.operationFinished(id, nil, &core.pass)
          }
        }
      }
      node = perform(driver: Driver(id: id, run: run, kind: .lift), in: tree) {
        $0.machine.operationFinished(id, nil, &$0.pass)
      }
    }
  }

  // MARK: Sources

  func iterateSequence(_ id: StrandID, _ run: Run, _ iterate: @escaping ClosureNode.Iteration) {
    let body: @Sendable () async -> Void = { [weak self] in
      guard !run.isCancelled else {
        self?.sourceEnded(id, run, nil)
        return
      }
      do {
        try await iterate { [weak self] effect in self?.emit(effect, from: id, isInTree: true) ?? false }
        self?.sourceEnded(id, run, nil)
      } catch {
        self?.sourceEnded(id, run, error)
      }
    }
    let task = executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body)
    run.started { task.cancel() }
  }

  func attachBinding(_ id: StrandID, _ run: Run, _ attach: ClosureNode.Attachment) {
    guard let detach = attach(self, id, run) else { return sourceEnded(id, run, nil) }
    // The run keeps this closure.
    run.started { [weak self, weak run] in
      detach()
      if let run { self?.sourceEnded(id, run, nil) }
    }
  }

  /// A source's next effect.
  ///
  /// - Parameter isInTree: whether the task-local values and the priority of the source's tree hold on this thread.
  /// - Returns: whether the source is still alive.
  @discardableResult
  func emit(_ effect: Effect, from id: StrandID, isInTree: Bool) -> Bool {
    var isAlive = false
    var tree: TreeContext?
    perform(in: tree) { core in
      isAlive = !core.machine.isCancelled(id)
      guard isAlive, let program = effect.program else { return }
      if isInTree { tree = core.machine.context(of: id) }
      core.machine.emitted(id, program, &core.pass)
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
