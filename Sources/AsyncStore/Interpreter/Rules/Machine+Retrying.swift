/// Retries. An effect is retried in a child fiber unless its first attempt is folded; an operation, in its own fiber.
///
/// Law 15. Events: `decided`. Activities: `retrying`, `deciding`, `backingOff`, `ready`.
///
/// An operation that retries itself has no fiber below it: an effect that it returns continues in its place, outside
/// the retry.
extension Machine {
  mutating func beginRetry(
    _ plan: RetryPlan, _ body: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>
  ) -> Progress {
    if mayFold(body, into: .retry, pass) {
      startRetry(plan, copy body, slot, &pass)
      return beginFolded(consume body, slot, &pass)
    }
    fibers[slot].keepEffect(to: &released)
    startRetry(plan, consume body, slot, &pass)
    beginAttempt(of: slot, &pass)
    return .continues
  }

  /// Begins an operation that retries itself.
  mutating func beginRetriedOperation(_ plan: RetryPlan, _ slot: FiberSlot, _ pass: inout Pass<P>) {
    fibers[slot].flags.remove(.lifts)
    fibers[slot].keepEffect(to: &released)
    startRetry(plan, nil, slot, &pass)
    beginAttempt(of: slot, &pass)
  }

  /// - Parameter body: the effect to try, or `nil` for the fiber's current operation.
  mutating func startRetry(_ plan: RetryPlan, _ body: consuming P?, _ slot: FiberSlot, _ pass: inout Pass<P>) {
    let delays = SplitMix64(seed: plan.seed ?? generator.next())
    let number = fibers.nextNumber()
    fibers.makeRare(of: slot).pointee.retry.begin(plan, body, number: number, at: pass.now(), delays)
  }

  mutating func beginAttempt(of slot: FiberSlot, _ pass: inout Pass<P>) {
    let rare = retryingState(of: slot)
    trace(.attempted(rare.pointee.retry.attempt), as: .attempted, of: slot, &pass)
    guard let body = rare.pointee.retry.body else {
      guard let site = fibers[slot].site else { preconditionFailure("fiber \(slot) is at no operation") }
      return operate(site, slot, &pass)
    }
    fibers[slot].activity = .retrying
    fibers[slot].flags.remove(.endsEarly)
    let child = beginChild(running: consume body, of: slot, boundary: true, &pass)
    catchErrors(of: child, in: slot)
  }

  private func retryingState(of slot: FiberSlot) -> UnsafeMutablePointer<RareState<P>> {
    guard let rare = fibers[slot].rare, rare.pointee.retry.isActive else {
      preconditionFailure("fiber \(slot) retries nothing")
    }
    return rare
  }

  /// Makes errors in `child` fail the retry, the race or the sequence `slot`.
  mutating func catchErrors(of child: FiberSlot, in slot: FiberSlot) {
    fibers[child].catcher = slot
    fibers[child].flags.remove(.passesAttempts)
  }

  func isRetrying(_ slot: FiberSlot) -> Bool { fibers[slot].rare?.pointee.retry.isActive == true }

  /// Returns the attempt that the fiber's operation belongs to, or `nil` if the operation is not retried.
  func attempt(of id: FiberID) -> Attempt<P.Failure>? {
    guard isAlive(id), let rare = fibers[id.slot].rare, rare.pointee.retry.isActive else { return nil }
    return rare.pointee.retry.attempt
  }

  // MARK: After an attempt

  /// Ends an attempt that has settled.
  mutating func endAttempt(of slot: FiberSlot, _ pass: inout Pass<P>) {
    let rare = retryingState(of: slot)
    guard let failure = rare.pointee.retry.failure else {
      endRetry(of: slot, &pass)
      return makeReady(slot)
    }
    guard rare.pointee.retry.plan.isConditional, let site = fibers[slot].site else {
      return backOff(slot, &pass)
    }
    fibers[slot].activity = .deciding
    pass.directives.append(.decide(id(of: slot), site, failure))
  }

  /// Handles the answer to the directive `decide`.
  mutating func decided(_ id: FiberID, triesAgain: Bool, _ pass: inout Pass<P>) {
    guard isAlive(id), case .deciding = fibers[id.slot].activity else { return }
    fibers[id.slot].activity = .ready
    if fibers[id.slot].flags.contains(.cancelled) {
      settleIfIdle(id.slot, &pass)
    } else if triesAgain {
      backOff(id.slot, &pass)
    } else {
      giveUp(id.slot, &pass)
    }
    step(&pass)
  }

  private mutating func backOff(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    let rare = retryingState(of: slot)
    guard let failure = rare.pointee.retry.failure else {
      preconditionFailure("the attempt of fiber \(slot) has not failed")
    }
    guard let delay = rare.pointee.retry.delay(at: pass.now()) else { return giveUp(slot, &pass) }
    trace(.backedOff(attempt: rare.pointee.retry.attemptNumber, failure, delay), as: .backedOff, of: slot, &pass)
    if let earlier = rare.pointee.retry.beginNextAttempt() { released.append(failure: earlier) }
    if delay > 0 {
      fibers[slot].activity = .backingOff
      setDeadline(of: slot, at: pass.now().advanced(by: delay), &pass)
    } else {
      beginAttempt(of: slot, &pass)
    }
  }

  /// Ends a retry whose operations have all returned.
  ///
  /// References that the retry held are released after the lock.
  ///
  /// - Returns: the error of the last attempt, if it failed.
  @discardableResult
  mutating func endRetry(of slot: FiberSlot, _ pass: inout Pass<P>) -> P.Failure? {
    guard let rare = fibers[slot].rare, rare.pointee.retry.isActive else { return nil }
    if options.traced.contains(.attemptsEnded) { traceEnd(with: rare.pointee.retry.failure, of: slot, &pass) }
    return rare.pointee.retry.end(to: &released)
  }

  private mutating func traceEnd(with failure: P.Failure?, of slot: FiberSlot, _ pass: inout Pass<P>) {
    let isCancelled = fibers[slot].flags.contains(.cancelled)
    let ending: Ending<P.Failure> = isCancelled ? .cancelled : failure.map { .failed($0) } ?? .finished
    trace(.attemptsEnded(ending), as: .attemptsEnded, of: slot, &pass)
  }

  /// Releases the effect and the errors of a retry that has been cancelled.
  ///
  /// An operation that retries itself keeps them, because it may be about to ask for its attempt.
  mutating func releaseAttempts(of rare: UnsafeMutablePointer<RareState<P>>) {
    guard let body = rare.pointee.retry.body.take() else { return }
    released.append(body)
    if let earlier = rare.pointee.retry.previousFailure.take() { released.append(failure: earlier) }
    if let failure = rare.pointee.retry.failure.take() { released.append(failure: failure) }
  }

  /// Gives up: the retry fails with its last error.
  private mutating func giveUp(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard let failure = endRetry(of: slot, &pass) else { preconditionFailure("fiber \(slot) retries nothing") }
    released.append(failure: failure)
    fibers[slot].activity = .ready
    fail(slot, failure, &pass)
  }
}
