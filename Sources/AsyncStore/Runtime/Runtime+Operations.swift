/// The choice of the task that runs an operation, and the ends of sources and lifts.
extension Runtime {
  /// Decides what runs an operation: the driver's run, another run in the driver's task, a caller who waits, or a task
  /// of its own.
  // Inlined into the only place that calls it.
  @inline(__always)
  func operate(_ id: FiberID, _ node: EffectNode, _ core: inout Core, driver: Run?, into chores: inout Chores) {
    if let driver, id == driver.id, node.isLift == driver.isLift, node.isLift || !Task.isCancelled {
      // Not in a task that has cancelled itself: what follows is not cancelled.
      chores.continuation = node
      return
    }
    let run = core.insert(Run(self, id, node, tree: core.machine.context(of: id)))
    if let driver, mayRun(run, after: driver) {
      chores.setSuccessor(run)
    } else if let tree = chores.waitingTree, run.tree === tree, !run.isLift {
      chores.setSuccessor(run)
    } else {
      chores.append(.start(run))
    }
  }

  /// Returns whether an operation may run in the task that has just run another one.
  ///
  /// Both need the same task-local values, and the task must not be cancelled.
  private func mayRun(_ run: Run, after driver: Run) -> Bool {
    !driver.isLift && !run.isLift && run.tree === driver.tree && !Task.isCancelled
  }

  /// Starts an operation after the lock, with the task-local values of its tree.
  func start(_ run: Run, in context: TreeContext?, _ round: inout LiftRound?) {
    let inherited = run.tree == nil || run.tree === context
    if run.isLift {
      round.orNew.begin(run, run.takeFirst(), inherited: inherited)
    } else if inherited {
      typed.drive(run)
    } else {
      run.tree?.inherit { self.typed.drive(run) }
    }
  }

  /// Starts the next operation of a driver in a task of its own, because the driver's has more to do, or is cancelled.
  func start(_ next: EffectNode, after driver: Run) {
    typed.drive(lock { $0.renew(driver, with: next) })
  }

  /// Ends a source that emits no more.
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
  func liftEnded(_ run: Run, in round: LiftRound) {
    run.ended()
    perform(round: round) { core in
      core.remove(run)
      core.machine.liftEnded(run.id, &core.pass)
    }
  }
}
