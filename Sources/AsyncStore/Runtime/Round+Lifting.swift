/// The two ends of a lift: its beginning in the other store, and what follows here when it has settled there.
extension Round {
  /// Begins an effect in another store.
  ///
  /// - Parameter inherited: true if the task-local values of the lift's tree are bound on this thread.
  /// - Returns: the effect's tree there.
  func begin(
    _ effect: EffectNode, in store: AnyAsyncStore, liftedBy run: Run, inherited: Bool
  ) -> TreeContext {
    let runtime = store.runtime
    let tree = TreeContext(runtime, mayOperate: effect.mayOperate, liftedBy: run)
    // Before it begins, so that a cancel of this effect also cancels the lifted one, whatever that is doing.
    run.started(lifting: tree, into: store)
    if !inherited, let outer = run.tree { tree.inherit(from: outer) }
    runtime.begin(
      EffectProgram(node: effect), in: tree, from: runtime.origin(of: run), inherited: inherited,
      mayCommit: runtime.mayCommit(lifted: tree), round: self)
    if run.isDraining {
      // The store may have been activated since.
      run.runtime.lock { core in
        run.noteDraining(core.machine.isAlive(run.id) && core.machine.drains(run.id.slot))
      }
      drain(run)
    }
    return tree
  }

  /// Handles the end of the lifted effect in the other store.
  ///
  /// Timers and streams that the effect leaves running there belong to the scope of the lift, and a fiber stands for
  /// them here.
  ///
  /// - Parameter isDriven: true if the task-local values of the lift's tree are bound on this thread. Then the fiber's
  ///   next lift begins here, too.
  func liftSettled(_ run: Run, _ tree: TreeContext, isDriven: Bool) {
    let runtime = run.runtime
    let isOver = tree.isOver
    let ending = tree.liftEnding
    var standIn: Run?
    var cleansUp = false
    let mayCommit = runtime.isOnIsolation()
    let next = runtime.perform(
      driver: isDriven ? run : nil, in: isDriven ? run.tree : nil, mayCommit: mayCommit, round: self
    ) { core in
      cleansUp = !isOver && core.machine.isCancelled(run.id)
      if cleansUp {
        core.machine.noteLiftEnding(ending, of: run.id)
        return
      }
      if !isOver, let fiber = core.machine.leaveDetached(run.id, &core.pass) {
        if !isDriven { core.remove(run) }
        let new = core.insert(Run(standingForLift: fiber, of: runtime, tree: core.machine.context(of: fiber)))
        // Under the lock, because otherwise a cancel that does not know of the other tree could come in between.
        if let target = run.liftTarget { new.started(lifting: tree, into: target) }
        standIn = new
      } else if !isOver {
        // No fiber may stay for the tree here, because the scope of this cleanup has ended: the tree is cancelled
        // there, and cleans up itself. The run stays, because a cancel that comes first has to reach the other store
        // too.
        cleansUp = true
        core.machine.noteLiftEnding(ending, of: run.id)
        return
      } else if !isDriven {
        core.remove(run)
      }
      if isDriven { core.machine.noteTree(of: run.id, &core.pass) }
      core.machine.liftSettled(run.id, ending, &core.pass)
    }
    // The next effect begins when the other tree ends, on a thread where these values are not bound.
    if isDriven, cleansUp { run.tree?.keepInheritance() }
    // The tree ends with its cleanup in the other store.
    if !isOver, standIn == nil { tree.cancel() }
    if let resumed = standIn ?? (cleansUp ? run : nil), !tree.whenOver(resume: resumed) { over(resumed) }
    if let next { begin(run, next, inherited: true) }
  }
}
