/// The part after the lock: carrying out the work that an event has left for it.
extension Runtime {
  /// Carries out the chores of an event.
  ///
  /// The chores behind an answer that the round has yet to report are left to the round, because they may cancel what
  /// was asked. A question behind other items is left to the round too: these may cancel the fiber that it asks about,
  /// and its answer would be lost.
  ///
  /// - Parameter context: the tree whose task-local values are bound on this thread; tasks of others start from
  ///   theirs.
  func carryOut(_ chores: inout Chores, in context: TreeContext?, _ round: inout LiftRound?) {
    if chores.cancels != nil || DeferredWork.isPending {
      BarrierWave.carryOut(chores.cancels.take(), of: self, &round)
      chores.hasCalledOut = true
      if round.hasAnswer { return leaveRest(of: &chores, in: context, to: round) }
    }
    while chores.startCount < chores.starts.count {
      if round.hasItems, chores.nextIsQuestion { return leaveRest(of: &chores, in: context, to: round) }
      let chore = chores.starts.take(at: chores.startCount)
      chores.startCount += 1
      let answer = carryOut(chore: chore, at: chores.deadline, hasCalledOut: chores.hasCalledOut, in: context, &round)
      chores.hasCalledOut = true
      guard let answer else { continue }
      // In a round the answer waits for the items before it.
      if round == nil, answer.reportOnStack() { continue }
      round.orNew.take(answer)
      return leaveRest(of: &chores, in: context, to: round)
    }
    if chores.hasDeliveries { DeliveryLoop.deliver(from: self) }
    for index in 0..<chores.endings.count { carryOut(lateChore: chores.endings.take(at: index), &round) }
  }

  private func leaveRest(of chores: inout Chores, in context: TreeContext?, to round: LiftRound?) {
    if let rest = chores.takeRest() { round?.carryOut(rest, of: self, in: context) }
  }

  /// - Returns: the answer, if the chore was a question.
  private func carryOut(
    chore: consuming Chore, at deadline: Moment?, hasCalledOut: Bool, in context: TreeContext?,
    _ round: inout LiftRound?
  ) -> Answer? {
    switch consume chore {
    case .start(let run):
      start(run, in: context, &round)
    case .open(let run):
      typed.open(run, in: context)
    case .drain(let run):
      round.orNew.drain(run)
    case .cancelAlarm(let task):
      task.cancel()
    case .tick(let id, let node, let tick):
      // User code that has been called since may have cancelled the timer.
      if hasCalledOut, lock({ $0.machine.isCancelled(id) }) { return nil }
      typed.interpret(tick, of: id, node, on: self)
    case .handle(let id, let handler, let error):
      let program = if let handler { typed.map(error, by: handler) } else { mapError?(error) }
      return Answer(to: self, in: context, at: deadline) { $0.machine.handled(id, program, &$0.pass) }
    case .decide(let id, let node, let error):
      // User code that has been called since may have cancelled the retry.
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
        defer { core.cycle = names }
        return core.cycle != names
      }
      guard isNew else { return nil }
      Thread.warn(
        "AsyncStore: effects that join each other, or queue behind each other, would have waited forever: "
          + "\(names). A join among them no longer waits. Have one of them end without the other."
      )
    case .requestTurn:
      inTurn { $0.turnCame() }
    }
    return nil
  }

  private func carryOut(lateChore chore: consuming LateChore, _ round: inout LiftRound?) {
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
}
