extension Runtime {
  var isActive: Bool { phase == .active }
  var phase: StorePhase { lock { $0.phase } }

  /// Cancels everything, and takes no more effects.
  ///
  /// - Parameters:
  ///   - wasActive: whether the store was active before it was closed; `nil` if it has not been closed.
  ///   - mayEnd: whether to do it, after what has come in between.
  /// - Returns: what has come in between.
  @discardableResult
  func end(
    closedWhileActive wasActive: Bool? = nil, if mayEnd: (Interruptions) -> Bool = { _ in true }
  ) -> Interruptions {
    var before = Interruptions()
    var waiters: [PhaseWaiter] = []
    var left = InFlight([])
    var ended: [CommitObserver] = []
    perform { core in
      before = core.interruptions
      guard mayEnd(before) else { return }
      if core.machine.fibers.liveCount > core.machine.windowCount, core.phase != .inactive {
        core.interruptions.hardStops += 1
        // Shut-downs that wait are told what was stopped without its clean-up.
        if !core.phaseWaiters.isEmpty { left = core.inFlight(at: time.now()) }
        swap(&waiters, &core.phaseWaiters)
      }
      let endsActivity = wasActive ?? (core.phase != .inactive)
      core.phase = .inactive
      core.machine.cancelAll(&core.pass)
      // At once with the rest, or one that comes after the next `activate` would be ended too. They are told behind the
      // values that were committed before.
      let observers = core.observers.endActivity()
      willEnd(observers, endsActivity: endsActivity)
      for observer in observers { core.deliveries.append(.end(observer)) }
      ended = observers
    }
    // Not by whoever delivers: that may be another thread, or a caller of this one.
    for observer in ended { observer.endAtOnce() }
    for waiter in waiters { waiter.wait.come(.success(.deactivated(left))) }
    return before
  }

  /// A source emits no more.
  func sourceEnded(_ run: Run, _ error: (any Error)? = nil) {
    run.ended()
    perform { core in
      core.end(run)
      if let error {
        core.machine.sourceFailed(run.id, error, &core.pass)
      } else {
        core.machine.sourceEnded(run.id, &core.pass)
      }
    }
  }

  /// Nothing is left of what a run has lifted into another store.
  func liftOver(_ run: Run, in round: LiftRound) {
    run.ended()
    perform(round: round) { core in
      core.end(run)
      core.machine.liftOver(run.id, &core.pass)
    }
  }

  /// The last reference to this runtime's store is gone: nobody reads or changes the state any more.
  func storeIsGone() {
    let (wasActive, isAtRest) = lock { core in
      // Somebody who is just about to attach to it must find it closed.
      let wasActive = core.phase != .inactive
      core.phase = .inactive
      let isAtRest =
        core.machine.fibers.liveCount == 0 && core.observers.isEmpty && core.deliveries.isEmpty
      return (wasActive, isAtRest)
    }
    if !isAtRest { end(closedWhileActive: wasActive) }
    discardState()
  }
}
