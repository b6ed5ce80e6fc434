/// The part under the lock: turning the machine's requests into commits, runs and chores.
extension Runtime {
  /// Turns a step's directives into commits and chores, and records whether the pass continues under another lock.
  func conclude(
    _ core: inout Core, driver: Run?, in context: () -> TreeContext?, into chores: inout Chores
  ) {
    applyDirectives(&core, driver: driver, into: &chores)
    if core.pass.hasCancelled || core.machine.isSpreadingBarrier { core.noteLatches(&chores) }
    if !core.machine.ready.isEmpty { chores.suspension = core.machine.suspend(core.pass) }
    if let driver, chores.continuation == nil, chores.suspension == nil,
      // The fiber of a lift may still wait for the rest of the effect in the other store, or for its next operation,
      // which has a run of its own.
      !(driver.isLift && core.machine.isOperating(driver.id))
    {
      core.remove(driver)
      if let run = chores.successor.take() {
        if core.continueRun(driver, as: run) { chores.continuation = run.takeFirst() } else { chores.successor = run }
      }
    }
    if core.pass.followed != core.pass.lineage { DeliveryLoop.setLineage(to: core.pass.lineage) }
    if !leavesSuccessor(core, chores) { chores.startSuccessor() }
    // Before another thread can end the wait, or cancel the suspended fibers.
    if core.pass.hasWaits || chores.suspension != nil { context()?.keepInheritance() }
  }

  /// Returns whether the last operation is left to the caller of `run`, which has little else to do before it.
  ///
  /// Reporting events to an instrument is cheap. Notifying observers is not, because they may begin effects; neither is
  /// the rest of a pass, which may be endless.
  private func leavesSuccessor(_ core: borrowing Core, _ chores: borrowing Chores) -> Bool {
    guard chores.waitingTree != nil, chores.suspension == nil else { return false }
    return !chores.hasDeliveries || core.deliveries.hasFewEventsOnly
  }

  /// Applies the directives: commits now, everything else as chores for later.
  func applyDirectives(_ core: inout Core, driver: Run?, into chores: inout Chores) {
    // Reserved once for all rounds below, because reserving in each of them would move the list's items every time.
    chores.beforeDeliveries.reserve(core.pass.directives.count)
    while true {
      if core.pass.directives.isEmpty {
        // One at a time: whatever waited for a run's end continues before the next run ends.
        guard let run = chores.withdrawn.popFirst() else { break }
        end(withdrawn: run, &core)
        continue
      }
      // Taken out one by one, which is much cheaper than copying each and then removing all of them.
      core.pass.directives.reverse()
      core.pass.events.reverse()
      while let directive = core.pass.directives.popLast() {
        // An `evaluate` is the last directive; its answer makes the machine continue with new ones.
        let isLast = directive.isEvaluate
        apply(directive, &core, driver: driver, into: &chores)
        if isLast { break }
      }
    }
    release(&core.machine.released, into: &chores)
    if core.pass.directives.capacity > 1024 {
      core.pass.directives = UniqueArray()
      core.pass.events = UniqueArray()
    }
    setAlarm(&core, into: &chores)
    if !core.phaseWaiters.isEmpty { core.takeRested(into: &chores) }
    chores.hasDeliveries = mustDeliver(&core)
  }

  /// Marks a run as cancelled.
  ///
  /// This is the barrier, after which nothing of the run begins or commits.
  ///
  /// An operation whose end has no consequences is withdrawn if its task has not started.
  @inline(never)
  private func cancel(_ id: FiberID, _ core: inout Core, into chores: inout Chores) {
    if let run = core.runs[id.slot.index] {
      if !run.hasStarted, mayEndAtOnce(run, core), run.withdraw() {
        chores.withdrawn.append(run)
      } else {
        run.markCancelled()
        chores.noteCancelled(run)
      }
    }
    record(.cancelled, as: .cancelled, of: id, &core)
  }

  /// Returns whether a cancelled operation may end together with its cancel, because its end has no consequences: not
  /// in this store, not in a store that has lifted the tree, and not in a pass that a deadline has begun.
  private func mayEndAtOnce(_ run: Run, _ core: borrowing Core) -> Bool {
    core.pass.deadline == nil && core.machine.endsAlone(run.id) && run.tree?.isLifted != true
  }

  /// Ends a cancelled operation whose task has not started.
  @inline(never)
  private func end(withdrawn run: Run, _ core: inout Core) {
    // Released after the lock, because its closure's contents belong to the user.
    core.machine.operationWithdrawn(run.id, EffectProgram(node: run.takeFirst()), &core.pass)
    core.remove(run)
  }

  private func release(_ parts: inout ReleasedParts<EffectProgram>, into chores: inout Chores) {
    if chores.released == nil { chores.released = parts.popProgram()?.node }
    if !parts.programs.isEmpty {
      chores.afterDeliveries.reserve(parts.programs.count / 3)
      // In threes, which take no more space than one effect.
      while let first = parts.popProgram() {
        chores.afterDeliveries.append(.release(first.node, parts.popProgram()?.node, parts.popProgram()?.node))
      }
      parts.releaseMemoryIfLarge()
    }
    while let error = parts.popFailure() { chores.afterDeliveries.append(.releaseError(error)) }
    while let identifier = parts.popIdentifier() { chores.afterDeliveries.append(.releaseIdentifier(identifier)) }
  }

  // One function, though a long one, because each case is a few lines. Inlined, so that the directive is taken apart
  // and not copied.
  @inline(__always)
  private func apply(
    _ directive: Directive<EffectProgram>, _ core: inout Core, driver: Run?, into chores: inout Chores
  ) {
    switch directive {
    case .commit(_, let site, let count):
      commitList(site, count: Int(count), &core)
    case .evaluate(let id, let site):
      let (program, isCommit) = typed.evaluate(site.node, on: self, &core)
      // Only now is it known whether anything was committed.
      if isCommit { record(.committed(site, count: 1), as: .committed, of: id, &core) }
      core.machine.evaluated(id, program, &core.pass)
    case .operate(let id, let site):
      assignRun(to: id, site.node, &core, driver: driver, into: &chores)
    case .transfer(let id, let new):
      core.transfer(id, to: new)
    case .open(let id, let site):
      let run = Run(self, id, site.node, tree: core.machine.context(of: id), isSource: true)
      chores.append(.open(core.insert(run)))
    case .cancel(let id):
      cancel(id, &core, into: &chores)
    case .drain(let id):
      // The lift may have ended by now.
      guard id.slot.index < core.runs.count, let run = core.runs[id.slot.index], run.id == id else { return }
      run.noteDraining(core.machine.drains(id.slot))
      chores.append(.drain(run))
    case .tick(let id, let tick):
      guard let site = core.machine.site(of: id) else { preconditionFailure("a tick of a timer that is gone") }
      chores.append(.tick(id, site.node, tick))
    case .handle(let id, let handler, let error):
      if handler == nil {
        record(.failed(error), as: .failed, of: id, &core)
      } else {
        record(.recovered(error), as: .recovered, of: id, &core)
      }
      chores.deadline = core.pass.deadline
      chores.append(.handle(id, by: handler?.node, error))
    case .decide(let id, let site, let error):
      chores.deadline = core.pass.deadline
      chores.append(.decide(id, by: site.node, error))
    case .settle(let context, let ending, let isOver, let liftEnding):
      chores.afterDeliveries.append(.settle(context, EffectOutcome(ending), isOver: isOver, liftEnding))
    case .addRoot(let context):
      context.addRoot()
    case .end(let context):
      chores.afterDeliveries.append(.end(context))
    case .reportCycle(let identifiers):
      if core.machine.options.traced.contains(.joinCycle) {
        let event = InstrumentEvent(.joinCycle(identifiers), nil, in: identity, at: core.pass.now())
        core.deliveries.append(.report(event))
      } else {
        chores.append(.reportCycle(identifiers))
      }
    case .awaitTurn(let id, let isFirst):
      if isFirst { chores.append(.requestTurn) }
      if core.pass.followsDelivery, let trail = DeliveryLoop.shortTrail { core.keep(trail, of: id) }
    case .follow(let lineage):
      DeliveryLoop.setLineage(to: lineage)
    case .trace:
      guard let event = core.pass.events.popLast() else { preconditionFailure("an event of the trace is missing") }
      record(event, &core)
    }
  }

  /// Decides which fast paths the end of an operation may take, and what runs the operation: the driver's run, another
  /// run in the driver's task, a waiting caller, or a task of its own.
  // Inlined into its only call site.
  @inline(__always)
  func assignRun(to id: FiberID, _ node: EffectNode, _ core: inout Core, driver: Run?, into chores: inout Chores) {
    if let driver, id == driver.id, node.isLift == driver.isLift, node.isLift || !Task.isCancelled {
      // A task that has cancelled itself is left, because the next operation is not cancelled.
      driver.fastPaths = core.machine.fastPaths(after: id)
      if let instrumentation { noteRecord(of: driver, instrumentation, core) }
      chores.continuation = node
      return
    }
    let run = core.insert(
      Run(self, id, node, tree: core.machine.context(of: id), fastPaths: core.machine.fastPaths(after: id)))
    if let instrumentation { noteRecord(of: run, instrumentation, core) }
    if let driver, mayRun(run, after: driver) {
      chores.setSuccessor(run)
    } else if let tree = chores.waitingTree, run.tree === tree, !run.isLift {
      chores.setSuccessor(run)
    } else {
      chores.append(node.isLift ? .lift(run, core.pass.followed) : .start(run))
    }
  }

  /// Stores the record of the run's next operation, if the instrument wraps the operation.
  private func noteRecord(of run: Run, _ instrumentation: Instrumentation, _ core: borrowing Core) {
    guard !run.isLift, instrumentation.interests.contains(.operations) else { return }
    run.note(EffectRecord(core.machine.record(of: run.id.slot)))
  }

  /// Returns whether an operation may run in the task that has just run another operation.
  ///
  /// Both need the same task-local values, and the task must not be cancelled.
  private func mayRun(_ run: Run, after driver: Run) -> Bool {
    !driver.isLift && !run.isLift && run.tree === driver.tree && !Task.isCancelled
  }
}

extension Site<EffectProgram> {
  /// The effect at the site, which is not a mutation.
  var node: EffectNode {
    guard let node = program.node.node(at: index) else { preconditionFailure("the effect at \(index) has no node") }
    return node
  }
}

extension EffectOutcome {
  init(_ ending: Ending<any Error>) {
    switch ending {
    case .finished: self = .finished
    case .failed(let error): self = .failed(error)
    case .cancelled: self = .cancelled
    case .dropped: self = .dropped
    }
  }
}
