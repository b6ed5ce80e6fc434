/// The part after the lock: carrying out the chores of an event.
extension Runtime {
  /// - Parameter context: the tree whose task-local values hold on this thread; tasks of others start from theirs.
  func carryOut(_ chores: inout Chores, in context: TreeContext?, _ round: inout LiftRound?) {
    var hasCalledOut = false
    if let cancels = chores.cancels.take() {
      BarrierWave.carryOut(cancels, of: self, &round)
      hasCalledOut = true
    }
    for index in 0..<chores.starts.count {
      carryOut(chores.starts.take(at: index), hasCalledOut: hasCalledOut, in: context, &round)
      hasCalledOut = true
    }
    if chores.hasDeliveries { DeliveryLoop.deliver(from: self) }
    for index in 0..<chores.endings.count { tell(chores.endings.take(at: index), &round) }
  }

  private func carryOut(
    _ chore: consuming Chore, hasCalledOut: Bool, in context: TreeContext?, _ round: inout LiftRound?
  ) {
    switch consume chore {
    case .start(let run):
      start(run, in: context, &round)
    case .open(let run):
      if let tree = run.tree, tree !== context {
        tree.inherit { _ in self.typed.open(run) }
      } else {
        typed.open(run)
      }
    case .cancelAlarm(let task):
      task.cancel()
    case .tick(let id, let node, let tick):
      // User code that has been called since may have cancelled the timer.
      if hasCalledOut, lock({ $0.machine.isCancelled(id) }) { return }
      typed.interpret(tick, of: id, node, on: self)
    case .handle(let id, let handler, let error):
      let program = if let handler { typed.map(error, by: handler) } else { mapError?(error) }
      perform(in: context, handsOver: true) { $0.machine.handled(id, program, &$0.pass) }
    case .decide(let id, let node, let error):
      // User code that has been called since may have cancelled the retry.
      let isCancelled = hasCalledOut && lock { $0.machine.isCancelled(id) }
      let triesAgain = !isCancelled && typed.decide(error, by: node)
      perform(in: context, handsOver: true) { $0.machine.decided(id, triesAgain: triesAgain, &$0.pass) }
    case .startAlarm(let moment, let serial):
      startAlarm(at: moment, serial: serial)
    case .reportCircle(let identifiers):
      let names = identifiers.map(\.description).joined(separator: ", ")
      let isNews = lock { core in
        defer { core.circle = names }
        return core.circle != names
      }
      guard isNews else { return }
      Thread.warn(
        "AsyncStore: effects that join each other, or stand in line behind each other, would have waited for ever: "
          + "\(names). The join did not wait. Have one of them end without the other."
      )
    case .takeTurn:
      takeTurn { $0.perform { $0.machine.turn(&$0.pass) } }
    }
  }

  private func start(_ run: Run, in context: TreeContext?, _ round: inout LiftRound?) {
    let isLift = run.isLift
    guard let tree = run.tree, tree !== context else {
      if isLift { round.orNew.begin(run) } else { run.drive() }
      return
    }
    if isLift { round.orNew.beginElsewhere(run, in: tree) } else { tree.inherit { _ in run.drive() } }
  }

  private func tell(_ ended: consuming Ended, _ round: inout LiftRound?) {
    switch consume ended {
    case .settle(let tree, let outcome, let isOver):
      tree.settle(outcome, isOver: isOver, &round)
    case .over(let tree):
      tree.over(&round)
    case .rested(let waiters):
      for waiter in waiters { waiter.wait.come(.success(.rested)) }
    case .release, .releaseError, .releaseIdentifier:
      break
    }
  }
}
