extension AsyncStore {
  // MARK: Sources

  static func open(_ run: Run, in context: TreeContext?) {
    let source = run.takeFirst()
    switch closure(of: source) {
    case .sequence(let iterate):
      // The task of the sequence inherits. The mappings of a binding are called on this thread, as they are later.
      if let tree = run.tree, tree !== context {
        tree.inherit { iterateSequence(run, iterate) }
      } else {
        iterateSequence(run, iterate)
      }
    case .binding(let observe): beginBinding(run, observe)
    default: preconditionFailure("\(source.summary) is not a source")
    }
  }

  private static func iterateSequence(_ run: Run, _ iterate: @escaping ClosureNode.Iteration) {
    let body: @Sendable () async -> Void = {
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      var failure: (any Error)?
      if !run.isCancelled {
        do {
          try await iterate({ run.isCancelled }) { effect in
            run.runtime.emit(effect, from: run.id, unless: run.isCancelled) {
              run.runtime.interpretEmission($0, from: run.id, isInTree: true)
            }
          }
        } catch {
          failure = error
        }
      }
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      run.runtime.sourceEnded(run, failure)
    }
    let executor = run.runtime.executor
    run.started(.task(executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body)))
  }

  private static func beginBinding(_ run: Run, _ observe: ClosureNode.BindingSetup) {
    guard let end = observe(run) else { return run.runtime.sourceEnded(run) }
    // Weak, because the run keeps this closure.
    run.started(
      .closure { [weak run] in
        end()
        if let run { run.runtime.sourceEnded(run) }
      })
  }

  static func interpretTick(
    _ tick: Tick, of id: FiberID, _ node: EffectNode, hasCalledOut: Bool, on runtime: Runtime
  ) {
    guard case .timer(let mapEffect) = closure(of: node) else { preconditionFailure("\(node.summary) is no timer") }
    runtime.emit(
      mapEffect(TimerTick(tick)), from: id,
      // User code called since may have cancelled the timer.
      unless: hasCalledOut && runtime.lock { $0.machine.isCancelled(id) }
    ) { effect in
      guard let program = effect.program else { return true }
      runtime.perform(mayCommit: runtime.takeTurnsIfHere(from: id), handover: .everything(nil)) { core in
        core.machine.ticked(id, program, due: tick.due, &core.pass)
      }
      return true
    }
  }
}

/// Generic functions of the runtime. Static functions of the store's type would look up that type at each call.
extension Runtime {
  /// Begins a fiber for an effect of a source.
  ///
  /// - Parameter isInTree: true if the task-local values and the priority of the source's tree are bound on this
  ///   thread.
  /// - Returns: true if the source is still alive.
  func interpretEmission<State, Env>(
    _ effect: AsyncStore<State, Env>.Effect, from id: FiberID, isInTree: Bool
  ) -> Bool {
    var isAlive = false
    var tree: TreeContext?
    var child: FiberID?
    // `tree` and `child` are read after the event, which sets them. A stream's thread has no other work.
    perform(
      in: tree, mayCommit: takeTurnsIfHere(from: id),
      handover: isInTree ? .nothing : .everything(Emission(of: child, from: id, in: self))
    ) { core in
      isAlive = !core.machine.isCancelled(id)
      guard isAlive else { return }
      if isInTree { tree = core.machine.context(of: id) }
      child = core.machine.emitted(id, effect.program, &core.pass)
    }
    return isAlive
  }

  /// Ends a source that will not emit again.
  func sourceEnded(_ run: Run, _ error: (any Error)? = nil) {
    run.ended()
    perform { core in
      core.remove(run)
      if let error {
        core.machine.sourceFailed(run.id, error, &core.pass)
      } else {
        core.machine.sourceEnded(run.id, &core.pass)
      }
    }
  }

  /// Ends a lift that has nothing left in the other store.
  func liftEnded(_ run: Run, in round: Round) {
    run.ended()
    perform(round: round) { core in
      core.remove(run)
      core.machine.liftEnded(run.id, &core.pass)
    }
  }
}
