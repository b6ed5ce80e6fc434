extension Core {
  /// Adds a run, and returns it.
  mutating func insert(_ run: Run) -> Run {
    let slot = run.id.slot.index
    while runs.count <= slot { runs.append(nil) }
    runs[slot] = run
    return run
  }

  /// Has a run whose operation has ended go on with another fiber's operation, in the same task.
  ///
  /// Refused if either is cancelled, because the thread that has cancelled it will ask the task that it knows to end.
  ///
  /// - Parameter other: the run of that fiber, which has not started.
  /// - Returns: false if one is cancelled; then nothing has changed.
  mutating func goOn(_ run: Run, as other: Run) -> Bool {
    guard !run.isCancelled, !other.isCancelled else { return false }
    run.goOn(as: other)
    runs[other.id.slot.index] = run
    return true
  }

  /// Replaces a run by one that begins with the fiber's next operation, in a task of its own.
  mutating func renew(_ run: Run, with next: EffectNode) -> Run {
    let new = Run(run.runtime, run.id, next, tree: run.tree)
    // A cancel since the driver's lock has marked the old run only: the operation never begins.
    if run.isCancelled { new.markCancelled() }
    return insert(new)
  }

  /// Ends the tree of which this run's operation was the last, by the fast path.
  ///
  /// - Returns: the tree, or `nil` if the end takes the slow path.
  mutating func endTree(of run: Run, releasing program: inout EffectProgram?) -> TreeContext? {
    // A shutdown would have to be told that nothing is left.
    guard phaseWaiters.isEmpty, let tree = machine.lastOperationFinished(run.id, releasing: &program) else {
      return nil
    }
    remove(run)
    return tree
  }

  /// Returns whether the run is a lift's whose fiber still waits: for the rest of the effect in the other store, or for
  /// the fiber's next operation, which has a run of its own.
  func isLifting(_ run: Run) -> Bool { run.isLift && machine.isOperating(run.id) }

  /// Removes a fiber's run, unless its slot has another tenant already, with another run.
  mutating func remove(_ run: Run) {
    let slot = run.id.slot.index
    guard runs.count > slot, runs[slot] === run else { return }
    runs[slot] = nil
    if machine.fibers.count == 0 { runs = UniqueArray() }
  }
}
