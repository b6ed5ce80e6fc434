extension Runtime {
  /// Stops accepting effects other than cancels.
  ///
  /// Balance each call with a call to ``endShutdown()``.
  ///
  /// - Parameter keepsSources: true if timers, streams and bindings continue.
  /// - Returns: the interruptions so far, for a later call to compare.
  func beginDraining(keepsSources: Bool) -> Interruptions {
    var interruptions = Interruptions()
    // Released after the lock, because identifiers belong to the user.
    var earlier = InFlight()
    defer { withExtendedLifetime(earlier) {} }
    perform { core in
      interruptions = core.interruptions
      core.shutdownCount += 1
      guard core.phase == .active || core.phase == .draining else { return }
      if core.phase == .active { swap(&earlier, &core.cancelledByShutdown) }
      core.phase = .draining
      if !keepsSources { core.machine.drainingBegan(&core.pass) }
    }
    return interruptions
  }

  /// Cancels the remaining effects, with their cleanup.
  ///
  /// - Returns: the current interruptions; if they differ from `interruptions`, nothing is cancelled.
  func beginCleanup(after interruptions: Interruptions) -> Interruptions {
    var now = interruptions
    let moment = time.now()
    perform { core in
      now = core.interruptions
      guard now == interruptions, core.phase != .inactive else { return }
      if core.phase == .draining {
        core.cancelledByShutdown = inFlight(&core, at: moment, sparingCleanup: true)
      }
      core.phase = .cleaningUp
      core.machine.drainingBegan(&core.pass)
      core.machine.allCancelledSparingCleanup(&core.pass)
    }
    return now
  }

  /// - Returns: the effects that this shutdown and concurrent ones have cancelled.
  @discardableResult
  func endShutdown() -> InFlight {
    // Released after the lock, even if nobody uses them, because identifiers belong to the user.
    var (cancelled, stopped) = (InFlight(), InFlight())
    defer { withExtendedLifetime((cancelled, stopped)) {} }
    lock { core in
      cancelled = core.cancelledByShutdown
      core.shutdownCount -= 1
      if core.shutdownCount == 0 {
        core.cancelledByShutdown = InFlight()
        swap(&stopped, &core.stoppedHard)
      }
    }
    return cancelled
  }

  /// Returns what is left when the time for the cleanup is over, or `nil` if everything has ended, together with the
  /// current interruptions.
  ///
  /// Under one lock, because a deactivation or another shutdown may end everything at that moment: a deactivation has
  /// then listed what was left as ``stoppedHard``, and counts as an interruption.
  func remains() -> (interruptions: Interruptions, left: InFlight?) {
    let moment = time.now()
    return lock { core in (core.interruptions, core.machine.hasSettled() ? nil : inFlight(&core, at: moment)) }
  }

  /// The effects that the last deactivation during a shutdown has stopped.
  var stoppedHard: InFlight { lock { $0.stoppedHard } }

  /// Waits until nothing is in flight.
  ///
  /// - Parameters:
  ///   - limit: the maximum time to wait, on the store's clock, or `nil` for no limit.
  ///   - ignoringSources: true to ignore timers, streams and bindings.
  ///   - begun: the interruptions when the shutdown began.
  func waitUntilIdle(
    within limit: Duration?, ignoringSources: Bool = false, since begun: Interruptions
  ) async throws -> PhaseWait.Outcome {
    let wait = PhaseWait()
    let mayWait = limit.map { $0 > .zero } ?? true
    let early = lock { core -> PhaseWait.Outcome? in
      // Code called at the beginning of a phase may have interrupted the shutdown.
      if core.interruptions.activations != begun.activations { return .reactivated }
      if core.interruptions.hardStops != begun.hardStops { return .deactivated(core.stoppedHard) }
      let waiter = PhaseWaiter(wait: wait, ignoresSources: ignoringSources)
      if core.machine.hasSettled(ignoringSources: ignoringSources) { return .rested }
      if !mayWait { return .timedOut }
      core.phaseWaiters.append(waiter)
      return nil
    }
    if let early { return early }
    let outcome = await result(of: wait, until: limit.map { time.now().advanced(by: $0.nanosecondsRoundedUp) })
    lock { core in core.phaseWaiters.removeAll { $0.wait === wait } }
    return try outcome.get()
  }

  /// Waits until the observers have been notified of everything that has been committed.
  ///
  /// Another thread may be delivering. A store that is bound to this one would miss the last values if it ended before.
  ///
  /// - Parameter end: the moment at which to stop waiting, or `nil` for no limit.
  func waitUntilDelivered(until end: Moment?) async {
    if let end, end <= time.now() { return }
    let wait = PhaseWait()
    let mustWait = lock { core in
      if core.deliveries.isDone { return false }
      core.deliveries.append(.reached { wait.resolve(.success(.rested)) })
      return true
    }
    guard mustWait else { return }
    DeliveryLoop.deliver(from: self)
    _ = await result(of: wait, until: end)
  }

  private func result(of wait: PhaseWait, until end: Moment?) async -> Result<PhaseWait.Outcome, any Error> {
    let timeLimit = end.map { end in
      Task(executorPreference: simulatedExecutor) { [self] in
        guard (try? await sleep(until: end)) != nil else { return }
        wait.resolve(.success(.timedOut))
      }
    }
    let outcome: Result<PhaseWait.Outcome, any Error>
    do { outcome = .success(try await wait.outcome()) } catch { outcome = .failure(error) }
    if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
    timeLimit?.cancel()
    return outcome
  }
}

extension Core {
  mutating func takeRested(into chores: inout Chores) {
    var rested: [PhaseWaiter] = []
    // By index, because a closure could not access the core while its list is changed.
    for index in phaseWaiters.indices.reversed()
    where machine.hasSettled(ignoringSources: phaseWaiters[index].ignoresSources) {
      rested.append(phaseWaiters.remove(at: index))
    }
    if !rested.isEmpty { chores.afterDeliveries.append(.rested(rested)) }
  }
}
