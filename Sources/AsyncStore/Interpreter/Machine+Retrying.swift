/// Attempts: of an effect, in a strand below the one that retries, or of an operation, in that strand itself.
///
/// An operation that retries itself has no strand below: an effect that it returns goes on in its place, outside of the
/// retry.
extension Machine {
  /// - Parameter body: the effect to try; `nil`: the operation that the strand is at.
  mutating func beginRetry(_ plan: RetryPlan, _ body: P?, _ slot: Int32, _ pass: inout Pass<P>) {
    let generator = SplitMix64(seed: plan.seed ?? generator.next())
    retries[slot] = RetryState(body: body, plan: plan, begun: pass.now(), generator: generator)
    beginAttempt(of: slot, &pass)
  }

  mutating func beginAttempt(of slot: Int32, _ pass: inout Pass<P>) {
    guard let state = retries[slot] else { preconditionFailure("strand \(slot) retries nothing") }
    if isTraced, let site = strands[Int(slot)].site {
      pass.directives.append(.trace(.attempted(site, names(of: slot), state.attempt)))
    }
    guard let body = state.body else {
      guard let site = strands[Int(slot)].site else { preconditionFailure("strand \(slot) is at no operation") }
      return operate(site, slot, &pass)
    }
    strands[Int(slot)].activity = .retrying
    strands[Int(slot)].flags.remove(.endsEarly)
    let child = beginBody(body, of: slot, boundary: true, &pass)
    setAttempt(child, of: slot)
  }

  /// What fails in `child` fails the retry, the race or the sequence `slot`.
  mutating func setAttempt(_ child: Int32, of slot: Int32) {
    strands[Int(child)].catcher = slot
    strands[Int(child)].flags.remove(.passesAttempts)
  }

  /// The attempt that the operation of this strand is; `nil`: it is not retried.
  func attempt(of id: StrandID) -> Attempt<P.Failure>? { isAlive(id) ? retries[id.slot]?.attempt : nil }

  // MARK: After an attempt

  /// An attempt has settled.
  mutating func endAttempt(of slot: Int32, _ pass: inout Pass<P>) {
    guard let state = retries[slot] else { preconditionFailure("strand \(slot) retries nothing") }
    guard let failure = state.failure else {
      endRetry(of: slot)
      return makeReady(slot)
    }
    guard state.plan.isConditional, let site = strands[Int(slot)].site else { return backOff(slot, &pass) }
    strands[Int(slot)].activity = .deciding
    pass.directives.append(.decide(id(of: slot), site, failure))
  }

  /// The answer to the directive `decide`.
  mutating func decided(_ id: StrandID, triesAgain: Bool, _ pass: inout Pass<P>) {
    guard isAlive(id), case .deciding = strands[Int(id.slot)].activity else { return }
    strands[Int(id.slot)].activity = .ready
    if strands[Int(id.slot)].flags.contains(.cancelled) {
      settleIfIdle(id.slot, &pass)
    } else if triesAgain {
      backOff(id.slot, &pass)
    } else {
      giveUp(id.slot, &pass)
    }
    step(&pass)
  }

  private mutating func backOff(_ slot: Int32, _ pass: inout Pass<P>) {
    guard var state = retries[slot], let failure = state.failure else {
      preconditionFailure("strand \(slot) retries nothing")
    }
    let elapsed = state.begun.distance(to: pass.now())
    let number = state.attempt.number
    let delay = state.plan.schedule.delay(afterAttempt: number, elapsed: elapsed, using: &state.generator)
    guard let delay else { return giveUp(slot, &pass) }
    if isTraced, let site = strands[Int(slot)].site {
      pass.directives.append(.trace(.backedOff(site, names(of: slot), attempt: number, failure, delay)))
    }
    if let earlier = state.attempt.previousFailure { releasedFailures.append(earlier) }
    state.failure = nil
    state.attempt = Attempt(number: number + 1, previousFailure: failure)
    retries[slot] = state
    if delay > 0 {
      strands[Int(slot)].activity = .backingOff
      setDeadline(of: slot, at: pass.now().advanced(by: delay), &pass)
    } else {
      beginAttempt(of: slot, &pass)
    }
  }

  /// Nothing is tried any more.
  ///
  /// References that this drops are released after the lock.
  ///
  /// - Returns: what the last attempt has failed with.
  @discardableResult
  mutating func endRetry(of slot: Int32) -> P.Failure? {
    guard let state = retries.removeValue(forKey: slot) else { return nil }
    if let body = state.body { released.append(body) }
    if let earlier = state.attempt.previousFailure { releasedFailures.append(earlier) }
    return state.failure
  }

  /// The last error goes where errors go outside of the retry.
  private mutating func giveUp(_ slot: Int32, _ pass: inout Pass<P>) {
    guard let failure = endRetry(of: slot) else { preconditionFailure("strand \(slot) retries nothing") }
    strands[Int(slot)].activity = .ready
    fail(slot, failure, &pass)
  }
}

struct RetryState<P: Program> {
  /// `nil`: the strand's own operation.
  var body: P?
  var plan: RetryPlan
  var attempt = Attempt<P.Failure>(number: 1)
  var begun: Moment
  var generator: SplitMix64
  /// What the attempt has failed with.
  var failure: P.Failure?
}

/// One attempt of a retry.
struct Attempt<Failure> {
  /// From 1.
  var number: Int
  var previousFailure: Failure?
}

extension Attempt: Equatable where Failure: Equatable {}
