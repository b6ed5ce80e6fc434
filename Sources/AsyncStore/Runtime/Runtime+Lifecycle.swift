extension Runtime {
  var isActive: Bool { phase == .active }
  var phase: StorePhase { lock { $0.phase } }

  /// Accepts effects again.
  ///
  /// A shutdown that has not ended sees that it was interrupted.
  func activate() {
    var waiters: [PhaseWaiter] = []
    perform { core in
      core.phase = .active
      core.interruptions.activations += 1
      swap(&waiters, &core.phaseWaiters)
      core.machine.drainingEnded(&core.pass)
    }
    // Resolving calls executors, which are user code.
    DeferredWork.whenUnlocked { [waiters] in
      for waiter in waiters { waiter.wait.resolve(.success(.reactivated)) }
    }
  }

  /// Cancels everything, and stops accepting effects.
  ///
  /// - Parameters:
  ///   - wasActive: true if the store was active before it was closed; `nil` if it has not been closed.
  ///   - mayEnd: returns whether to continue, given the interruptions before this call.
  /// - Returns: the interruptions before this call. The call itself is one if something was in flight.
  @discardableResult
  func deactivate(
    closedWhileActive wasActive: Bool? = nil, if mayEnd: (Interruptions) -> Bool = { _ in true }
  ) -> Interruptions {
    var before = Interruptions()
    var waiters: [PhaseWaiter] = []
    // Released after the lock, because identifiers belong to the user.
    var (left, earlier) = (InFlight(), InFlight())
    defer { withExtendedLifetime(earlier) {} }
    var ended: [CommitObserver] = []
    perform { core in
      before = core.interruptions
      guard mayEnd(before) else { return }
      if core.machine.fibers.liveCount > core.machine.counts.windows, core.phase != .inactive {
        core.interruptions.hardStops += 1
        // Listed for the shutdowns, which report the effects stopped without their cleanup.
        if core.shutdownCount > 0 {
          left = inFlight(&core, at: time.now())
          earlier = left
          swap(&earlier, &core.stoppedHard)
        }
        swap(&waiters, &core.phaseWaiters)
      }
      let endsActivity = wasActive ?? (core.phase != .inactive)
      core.phase = .inactive
      core.machine.allCancelled(&core.pass)
      // Removed under the same lock; later, this would also remove an observer added after the next `activate`. The
      // observers are notified after the values that were committed before.
      let observers = core.endActivity()
      for observer in observers {
        observer.willEnd(content.state, endsActivity: endsActivity)
        core.deliveries.append(.end(observer))
      }
      ended = observers
    }
    // Here and not during delivery, because another thread, or a caller of this function, may be delivering. After the
    // lock, because this calls user code.
    DeferredWork.whenUnlocked { [ended, waiters, left] in
      for observer in ended { observer.endAtOnce() }
      for waiter in waiters { waiter.wait.resolve(.success(.deactivated(left))) }
    }
    return before
  }

  /// Ends the runtime when the last reference to its store is gone, so that nobody reads or changes the state any more.
  func storeWasReleased() {
    let closed = lockUnlessLockedHere { core in
      // A binding that is about to observe the store must find it closed.
      let wasActive = core.phase != .inactive
      core.phase = .inactive
      return (wasActive, core.isAtRest)
    }
    // An effect in flight does not keep its store alive, so its mutation may release the last reference.
    guard let (wasActive, isAtRest) = closed else {
      return DeferredWork.whenUnlocked { self.storeWasReleased() }
    }
    if !isAtRest { deactivate(closedWhileActive: wasActive) }
    releaseState()
  }
}
