/// The part around the lock: beginning an event, one step of the machine, and the chores that follow.
extension Runtime {
  // MARK: Receiving

  /// Interprets an effect as this tree.
  ///
  /// - Parameters:
  ///   - origin: the effect of another store that lifts this one, if the store's instrument wants to know it.
  ///   - inherited: true if the task-local values of the tree are bound on this thread.
  ///   - returnsLastOperation: true if the caller starts the last operation itself.
  /// - Returns: true if the store accepts the effect, and the operation that is left to the caller, if there is one.
  @discardableResult
  func begin(
    _ program: EffectProgram, in tree: TreeContext, from origin: EffectOrigin? = nil, inherited: Bool = true,
    mayCommit: Bool, returnsLastOperation: Bool = false, round: Round? = nil
  ) -> (isAccepted: Bool, lastOperation: Run?) {
    var (isAccepted, isBegun) = (true, false)
    var chores = Chores()
    if returnsLastOperation { chores.waitingTree = tree }
    let context = inherited ? tree : nil
    lockOnly { core in
      process(&core, driver: nil, in: { context }, mayCommit: mayCommit, into: &chores) { core in
        isAccepted = accepts(program, &core)
        // Other threads already know a lifted tree, and may have cancelled it.
        if isAccepted, !tree.isLifted || !tree.isCancelled {
          isBegun = true
          tree.began(at: core.machine.received(program, context: tree, from: origin, &core.pass))
        }
      }
    }
    finish(&chores, in: context, mayCommit: mayCommit, round)
    if !isBegun {
      var round = round
      tree.settle(isAccepted ? .cancelled : .inactive, isOver: true, .incomplete, &round)
    }
    return (isAccepted, chores.successor)
  }

  /// Begins a tree that is a single operation: the fast path.
  ///
  /// The caller starts the operation's task; nothing else follows. The measured reason is given with the machine's
  /// part, in `Machine+SingleOperation`.
  ///
  /// - Returns: the operation, or `nil` if the other `begin` has to be called.
  func begin(operation program: EffectProgram, in tree: TreeContext) -> Run? {
    // Nothing starts while this thread has another store locked.
    guard program.isOperation, !Thread.hasLockedStore else { return nil }
    return lock { core -> Run? in
      guard core.isActive else { return nil }
      core.pass.start()
      guard let id = core.machine.operationReceived(program, context: tree, &core.pass) else { return nil }
      tree.began(at: id)
      return core.insert(Run(self, id, program.node, tree: tree))
    }
  }

  /// Interprets an effect that is only a cancel.
  ///
  /// It needs no tree: with one, a cancel that finds nothing takes 5,260 instructions instead of 2,450, counted with
  /// `receive(.cancel("x"))` in the place of the `set` of `Tests/Benchmarks/instructions P1a`.
  ///
  /// - Returns: true if the store accepts the effect.
  func cancel(_ scopes: Selection<EffectID>, for program: EffectProgram, mayCommit: Bool) -> Bool {
    var isAccepted = true
    perform(mayCommit: mayCommit) { core in
      isAccepted = accepts(program, &core)
      if isAccepted { core.machine.cancelled(scopes, &core.pass) }
    }
    return isAccepted
  }

  /// Returns whether an effect is interpreted now, and reports an ignored one to the instrument.
  @inline(__always)
  private func accepts(_ program: EffectProgram, _ core: inout Core) -> Bool {
    let node = program.node
    switch core.phase {
    case .active: return true
    case .draining where node.cancelledScopes != nil: return true
    case .draining, .cleaningUp, .inactive: break
    }
    if core.machine.options.isTraced {
      record(.ignored, node.count == 1 ? node.describe(at: 0) : node.summary, &core)
    }
    // The cancel may name something that a deactivation has cancelled and whose barrier is still spreading into other
    // stores.
    core.machine.noteCancel(&core.pass)
    return false
  }
}

extension Runtime {
  /// Carries out one event.
  ///
  /// Under the lock, steps the machine and applies its commits; afterwards, starts and cancels tasks, resumes waiters,
  /// calls handlers, and notifies observers.
  ///
  /// Shorter paths lock and step the machine themselves.
  ///
  /// - Parameters:
  ///   - driver: the run that reports the end of a fiber's operation. If the fiber continues with another operation of
  ///     the same kind, and the pass has nothing more to do, that operation is returned and not started.
  ///   - context: the tree whose task-local values and priority are bound on this thread.
  ///   - round: the round of lifts that the event is part of; a call from outside has its own.
  ///   - handover: the parts that may continue in a task if they become very long, read after the event; passes only,
  ///     if the event is part of a round.
  @discardableResult
  func perform(
    driver: Run? = nil, in context: @autoclosure () -> TreeContext? = nil, mayCommit: Bool? = nil,
    round: Round? = nil, handover: @autoclosure () -> Handover = .nothing, _ event: (inout Core) -> Void
  ) -> EffectNode? {
    var chores = Chores()
    let mayCommit = mayCommit ?? isOnIsolation()
    lockOnly { core in
      process(&core, driver: driver, in: context, mayCommit: mayCommit, into: &chores, event)
    }
    return finish(&chores, driver: driver, in: context(), mayCommit: mayCommit, handover: handover(), round)
  }

  /// Reports an event to the machine, under the lock, and applies the resulting commits.
  func process(
    _ core: inout Core, driver: Run? = nil, in context: () -> TreeContext?, mayCommit: Bool,
    into chores: inout Chores, _ event: (inout Core) -> Void
  ) {
    core.pass.start()
    core.pass.passesBarriers = DeferredWork.isNested
    core.note(mayCommit: mayCommit)
    event(&core)
    conclude(&core, driver: driver, in: context, into: &chores)
  }

  /// Carries out the consequences of the event after the lock, and steps on until its pass is complete.
  ///
  /// While the thread has another store locked, the consequences are deferred, and the pass steps on up to its lifts.
  ///
  /// - Returns: the operation that the driver continues with. It is started and not returned if the pass has more to
  ///   do, here or in other stores.
  @inline(__always)
  @discardableResult
  func finish(
    _ chores: inout Chores, driver: Run? = nil, in context: TreeContext?, mayCommit: Bool,
    handover: Handover = .nothing, _ outer: Round?
  ) -> EffectNode? {
    if Thread.hasLockedStore {
      precondition(
        driver == nil && outer == nil && handover.emission == nil,
        "an operation, a round or a binding continues while its thread has a store locked")
      deferConsequences(chores, in: context, mayCommit: mayCommit, handover: handover)
      return nil
    }
    var round = outer
    carryOut(&chores, in: context, &round)
    guard round != nil || chores.suspension != nil else { return chores.continuation }
    continueInRound(&chores, driver, context, mayCommit, handover, outer, round)
    return nil
  }

  /// Defers the consequences, and steps on until the pass is complete or has to wait for another store.
  @inline(never)
  private func deferConsequences(
    _ chores: consuming Chores, in context: TreeContext?, mayCommit: Bool, handover: Handover
  ) {
    while let suspension = chores.suspension, !suspension.resumption.awaitsOthers {
      chores.suspension = nil
      DeferredWork.append(DeferredChores(self, chores, in: context, mayCommit: mayCommit, handover: handover))
      chores = Chores()
      giveWay()
      lockOnly { core in
        core.note(mayCommit: mayCommit)
        core.machine.resume(suspension, passingBarriers: true, &core.pass)
        conclude(&core, driver: nil, in: { context }, into: &chores)
      }
    }
    DeferredWork.append(DeferredChores(self, chores, in: context, mayCommit: mayCommit, handover: handover))
  }

  @inline(never)
  private func continueInRound(
    _ chores: inout Chores, _ driver: Run?, _ context: TreeContext?, _ mayCommit: Bool, _ handover: Handover,
    _ outer: Round?, _ made: Round?
  ) {
    let round = made ?? Round()
    var driver = driver
    // The rest of the pass may never end, and the caller of `begin` waits for all of it.
    if let run = chores.successor.take() { typed.drive(run) }
    if let next = chores.continuation.take(), let known = driver.take() {
      // The driver has no part in the rest of the pass, which may never end, so the next operation gets a task of its
      // own.
      round.continueDriver(known, with: next, in: context)
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

extension Runtime {
  // MARK: After the lock

  /// Carries out the chores of an event.
  ///
  /// Chores that come after an unreported answer are left to the round, because they may cancel the fiber that the
  /// answer is for. A question that comes after other items is left to the round too: these may cancel the fiber that
  /// it asks about, and its answer would be lost.
  ///
  /// - Parameter context: the tree whose task-local values are bound on this thread. Tasks of other trees start with
  ///   those trees' own values.
  func carryOut(_ chores: inout Chores, in context: TreeContext?, _ round: inout Round?) {
    if chores.cancels != nil || DeferredWork.isPending {
      BarrierWave.carryOut(chores.cancels.take(), of: self, &round)
      chores.hasCalledOut = true
      if round.hasAnswer { return leaveRest(of: &chores, in: context, to: round) }
    }
    while chores.completedCount < chores.beforeDeliveries.count {
      if round.hasItems, chores.nextIsQuestion { return leaveRest(of: &chores, in: context, to: round) }
      let chore = chores.beforeDeliveries.take(at: chores.completedCount)
      chores.completedCount += 1
      let answer = execute(chore, at: chores.deadline, hasCalledOut: chores.hasCalledOut, in: context, &round)
      chores.hasCalledOut = true
      guard let answer else { continue }
      // In a round, the answer waits for the items before it.
      if round == nil, answer.reportOnStack() { continue }
      round.orNew.take(answer)
      return leaveRest(of: &chores, in: context, to: round)
    }
    if chores.hasDeliveries { DeliveryLoop.deliver(from: self, delaysOperation: chores.successor != nil) }
    for index in 0..<chores.afterDeliveries.count {
      executeLate(chores.afterDeliveries.take(at: index), &round)
    }
  }

  private func leaveRest(of chores: inout Chores, in context: TreeContext?, to round: Round?) {
    if let rest = chores.takeRest() { round?.addRest(rest, of: self, in: context) }
  }

  /// - Returns: the answer, if the chore was a question.
  private func execute(
    _ chore: consuming Chore, at deadline: Moment?, hasCalledOut: Bool, in context: TreeContext?,
    _ round: inout Round?
  ) -> Answer? {
    switch consume chore {
    case .start(let run):
      start(run, in: context)
    case .lift(let run, let lineage):
      let inherited = run.tree == nil || run.tree === context
      round.orNew.begin(run, run.takeFirst(), inherited: inherited, lineage)
    case .open(let run):
      typed.open(run, in: context)
    case .drain(let run):
      round.orNew.drain(run)
    case .cancelAlarm(let task):
      task.cancel()
    case .tick(let id, let node, let tick):
      typed.interpretTick(tick, of: id, node, hasCalledOut: hasCalledOut, on: self)
    case .handle(let id, let handler, let error):
      let program = if let handler { typed.map(error, by: handler) } else { mapError?(error) }
      return Answer(to: self, in: context, at: deadline) { $0.machine.handled(id, program, &$0.pass) }
    case .decide(let id, let node, let error):
      // User code called since may have cancelled the retry.
      let isCancelled = hasCalledOut && lock { $0.machine.isCancelled(id) }
      let triesAgain = !isCancelled && typed.decide(error, by: node)
      return Answer(to: self, in: context, at: deadline) {
        $0.machine.decided(id, triesAgain: triesAgain, &$0.pass)
      }
    case .startAlarm(let moment, let serial):
      startAlarm(at: moment, serial: serial)
    case .reportCycle(let identifiers):
      let names = identifiers.map(\.description).joined(separator: ", ")
      let isNew = lock { core in
        defer { core.lastReportedJoinCycle = names }
        return core.lastReportedJoinCycle != names
      }
      guard isNew else { return nil }
      Thread.warn(
        "AsyncStore: effects that join each other, or queue behind each other, would have waited forever: "
          + "\(names). A join among them no longer waits. Remove one of these waits."
      )
    case .requestTurn:
      inTurn { $0.turnCame() }
    }
    return nil
  }

  private func executeLate(_ chore: consuming LateChore, _ round: inout Round?) {
    switch consume chore {
    case .settle(let tree, let outcome, let isOver, let liftEnding):
      tree.settle(outcome, isOver: isOver, liftEnding, &round)
    case .end(let tree):
      tree.over(&round)
    case .rested(let waiters):
      for waiter in waiters { waiter.wait.resolve(.success(.rested)) }
    case .release, .releaseError, .releaseIdentifier:
      break
    }
  }

  /// Starts an operation after the lock, with the task-local values of its tree.
  func start(_ run: Run, in context: TreeContext?) {
    if run.tree == nil || run.tree === context {
      typed.drive(run)
    } else {
      run.tree?.inherit { self.typed.drive(run) }
    }
  }

  /// Starts the next operation of a driver in a task of its own, because the driver's task has more to do or is
  /// cancelled.
  func start(_ next: EffectNode, after driver: Run) {
    typed.drive(lock { $0.renew(driver, with: next) })
  }
}
