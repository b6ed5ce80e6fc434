/// The part around the lock: one event steps the machine, and all that follows from it is carried out.
extension Runtime {
  /// Carries out one event: under the lock it steps the machine and applies its commits; after it, tasks are started
  /// and cancelled, waiters resumed, handlers called, observers told.
  ///
  /// Shorter paths lock and step the machine themselves.
  ///
  /// - Parameters:
  ///   - driver: the run that reports the end of a fiber's operation. If the fiber goes on with another one of the same
  ///     kind, and the pass has nothing more to do, that one is returned and not started.
  ///   - context: the tree whose task-local values and priority hold on this thread.
  ///   - round: the round of lifts that the event is part of; a call from outside has its own.
  ///   - handover: the parts that may go on in a task if they become very long, read after the event; if the event is
  ///     part of a round, passes only.
  @discardableResult
  func perform(
    driver: Run? = nil, in context: @autoclosure () -> TreeContext? = nil, mayCommit: Bool? = nil,
    round: LiftRound? = nil, handover: @autoclosure () -> Handover = .nothing, _ event: (inout Core) -> Void
  ) -> EffectNode? {
    var chores = Chores()
    let mayCommit = mayCommit ?? isOnIsolation()
    lockOnly { core in
      step(&core, driver: driver, in: context, mayCommit: mayCommit, into: &chores, event)
    }
    return follow(&chores, driver: driver, in: context(), mayCommit: mayCommit, handover: handover(), round)
  }

  /// Steps the machine under the lock, and applies its commits.
  func step(
    _ core: inout Core, driver: Run? = nil, in context: () -> TreeContext?, mayCommit: Bool,
    into chores: inout Chores, _ event: (inout Core) -> Void
  ) {
    core.machine.mayCommit = mayCommit
    core.pass.start()
    core.pass.passesBarriers = DeferredWork.isNested
    event(&core)
    conclude(&core, driver: driver, in: context, into: &chores)
  }

  /// Turns a step's directives into commits and chores, and notes whether the pass has to go on under another lock.
  func conclude(
    _ core: inout Core, driver: Run?, in context: () -> TreeContext?, into chores: inout Chores
  ) {
    applyDirectives(&core, driver: driver, into: &chores)
    if core.pass.hasCancelled || core.machine.isSpreadingBarrier { core.noteLatches(&chores) }
    if !core.machine.ready.isEmpty { chores.suspension = core.machine.suspend(core.pass) }
    if let driver, chores.continuation == nil, chores.suspension == nil, !core.isLifting(driver) {
      core.remove(driver)
      if let run = chores.successor.take() {
        if core.goOn(driver, as: run) { chores.continuation = run.takeFirst() } else { chores.successor = run }
      }
    }
    // Nothing is left to a caller who has more to do: others' observers, and an endless effect of a binding.
    if chores.waitingTree == nil || chores.suspension != nil || chores.hasDeliveries { chores.startSuccessor() }
    // Before another thread can end the wait, or cancel what is suspended.
    if core.pass.hasWaits || chores.suspension != nil { context()?.keepInheritance() }
  }

  /// Carries out the consequences of the event after the lock, and steps on until its pass is complete.
  ///
  /// While the thread has another store locked, the consequences are put off; the pass steps on, up to its lifts.
  ///
  /// - Returns: the operation that the driver goes on with. It is started and not returned if the pass has more to do,
  ///   here or in other stores.
  @inline(__always)
  @discardableResult
  func follow(
    _ chores: inout Chores, driver: Run? = nil, in context: TreeContext?, mayCommit: Bool,
    handover: Handover = .nothing, _ outer: LiftRound?
  ) -> EffectNode? {
    if Thread.hasLockedStore {
      precondition(
        driver == nil && outer == nil && handover.emission == nil,
        "an operation, a round or a binding goes on while its thread has a store locked")
      putOff(chores, in: context, mayCommit: mayCommit, handover: handover)
      return nil
    }
    var round = outer
    carryOut(&chores, in: context, &round)
    guard round != nil || chores.suspension != nil else { return chores.continuation }
    suspend(&chores, driver, context, mayCommit, handover, outer, round)
    return nil
  }

  /// Puts the consequences off, and steps on until the pass is complete or has to wait for another store.
  @inline(never)
  private func putOff(_ chores: consuming Chores, in context: TreeContext?, mayCommit: Bool, handover: Handover) {
    while let suspension = chores.suspension, !suspension.resumption.awaitsOthers {
      chores.suspension = nil
      DeferredWork.append(DeferredChores(self, chores, in: context, mayCommit: mayCommit, handover: handover))
      chores = Chores()
      giveWay()
      lockOnly { core in
        core.machine.mayCommit = mayCommit
        core.machine.resume(suspension, passingBarriers: true, &core.pass)
        conclude(&core, driver: nil, in: { context }, into: &chores)
      }
    }
    DeferredWork.append(DeferredChores(self, chores, in: context, mayCommit: mayCommit, handover: handover))
  }

  @inline(never)
  private func suspend(
    _ chores: inout Chores, _ driver: Run?, _ context: TreeContext?, _ mayCommit: Bool, _ handover: Handover,
    _ outer: LiftRound?, _ made: LiftRound?
  ) {
    let round = made ?? LiftRound()
    var driver = driver
    // The rest of the pass may never end, and the caller of `begin` waits for all of it.
    if let run = chores.successor.take() { typed.drive(run) }
    if let next = chores.continuation.take(), let known = driver.take() {
      // It has no part in the rest of the pass, which may never end: so the next operation gets a task of its own.
      round.goOn(known, with: next, in: context)
    }
    if let suspension = chores.suspension {
      round.resume(
        SuspendedPass(
          self, suspension, driver: driver, context: context, mayCommit: mayCommit,
          handsOver: handover.isAllowed || round.handsOver))
    }
    if outer == nil { round.run(for: self, handover) }
  }
}
