/// The runs of a store's operations and sources, by the slot of their fiber.
extension Core {
  /// Adds a run and returns it.
  // Inlined, because a call would count the references to the new run twice more.
  @inline(__always)
  mutating func insert(_ run: Run) -> Run {
    let slot = run.id.slot.index
    while runs.count <= slot { runs.append(nil) }
    runs[slot] = run
    return run
  }

  /// Transfers the run of a fiber's operation to another fiber.
  mutating func transfer(_ id: FiberID, to new: FiberID) {
    guard let run = runs[id.slot.index], run.id == id else { preconditionFailure("no operation runs in fiber \(id)") }
    runs[id.slot.index] = nil
    run.transfer(to: new)
    _ = insert(run)
  }

  /// Creates the fibers for the enclosures of operations, which a list of the effects in flight shows.
  mutating func unfold() {
    precondition(pass.directives.isEmpty, "a look at what is in flight in the middle of a step")
    machine.unfoldAll(&pass)
    while case .transfer(let id, let new)? = pass.directives.popLast() { transfer(id, to: new) }
  }

  /// Continues a run whose operation has ended with another fiber's operation, in the same task.
  ///
  /// Refuses if either is cancelled, because the cancelling thread will ask the task that it knows to end.
  ///
  /// - Parameter other: the run of that fiber, which has not started.
  /// - Returns: false if either is cancelled; then nothing has changed.
  mutating func continueRun(_ run: Run, as other: Run) -> Bool {
    guard !run.isCancelled, !other.isCancelled else { return false }
    run.takePlace(of: other)
    runs[other.id.slot.index] = run
    return true
  }

  /// Replaces a run with one that begins with the fiber's next operation, in a task of its own.
  mutating func renew(_ run: Run, with next: EffectNode) -> Run {
    let new = Run(run.runtime, run.id, next, tree: run.tree, fastPaths: run.fastPaths)
    // A cancel after the driver released the lock has marked only the old run; the new operation never begins.
    if run.isCancelled { new.markCancelled() }
    return insert(new)
  }

  /// Ends the tree whose last operation was this run's, by the fast path.
  ///
  /// - Returns: the tree, or `nil` if the end takes the slow path.
  mutating func endTree(of run: Run, releasing program: inout EffectProgram?) -> TreeContext? {
    // A shutdown would have to be notified that nothing is left.
    guard phaseWaiters.isEmpty, let tree = machine.lastOperationFinished(run.id, releasing: &program) else {
      return nil
    }
    remove(run)
    return tree
  }

  /// Removes a fiber's run, unless its slot already has another tenant with another run.
  mutating func remove(_ run: Run) {
    let slot = run.id.slot.index
    guard runs.count > slot, runs[slot] === run else { return }
    runs[slot] = nil
    if machine.fibers.count == 0 { runs = UniqueArray() }
  }
}
