/// Effects that enclose another one, whose strand they watch.
extension Machine {
  mutating func beginTimeout(
    _ span: Moment.Span, _ body: consuming P, otherwise: consuming P, _ slot: Int32, _ pass: inout Pass<P>
  ) {
    guard span > 0 else { return push(otherwise, on: slot) }
    strands[Int(slot)].activity = .bounding(otherwise: otherwise)
    setDeadline(of: slot, at: pass.now().advanced(by: span), &pass)
    beginBody(body, of: slot, boundary: true, &pass)
  }

  mutating func beginRetry(_ schedule: RetrySchedule, seed: UInt64?, _ body: P, _ slot: Int32, _ pass: inout Pass<P>) {
    let generator = SplitMix64(seed: seed ?? generator.next())
    retries[slot] = RetryState(body: body, schedule: schedule, begun: pass.now(), generator: generator)
    beginAttempt(of: slot, &pass)
  }

  mutating func beginRecovery(_ body: consuming P, at site: Site<P>, _ slot: Int32, _ pass: inout Pass<P>) {
    let child = beginBody(body, of: slot, boundary: true, &pass)
    recoveries[child] = Recovery(site: site, outer: strands[Int(slot)].catcher)
    strands[Int(child)].catcher = child
    strands[Int(child)].flags.formUnion([.recovers, .lingers])
    strands[Int(slot)].activity = .waiting
  }

  mutating func beginFinally(_ body: consuming P, cleanup: consuming P, _ slot: Int32, _ pass: inout Pass<P>) {
    strands[Int(slot)].activity = .finalizing(cleanup: cleanup)
    beginBody(body, of: slot, boundary: false, &pass)
  }

  @discardableResult
  mutating func beginBody(_ body: consuming P, of slot: Int32, boundary: Bool, _ pass: inout Pass<P>) -> Int32 {
    let child = makeChild(of: slot, attached: true, boundary: boundary, &pass)
    push(body, on: child)
    makeReady(child)
    return child
  }

  /// A timeout's deadline has passed: first the barrier, then its `else`.
  mutating func timeOut(_ slot: Int32, otherwise: P, _ pass: inout Pass<P>) {
    // Ready, so that the end of what is cancelled doesn't have the strand go on.
    strands[Int(slot)].activity = .ready
    let height = ready.count
    cancelAttachedChildren(of: slot, &pass)
    strands[Int(slot)].activity = .waiting
    let child = makeChild(of: slot, attached: true, &pass)
    push(otherwise, on: child)
    makeReady(child, behind: height)
  }

  /// Has an effect run below the strand `slot`, which recovers, and can't be the one that retries or races too: an error
  /// would not know which of the two catches it.
  mutating func beginBelowRecovery(_ site: Site<P>, _ slot: Int32, _ pass: inout Pass<P>) {
    let child = makeChild(of: slot, attached: true, &pass)
    push(site.program, from: site.index, to: site.index + 1, on: child)
    strands[Int(slot)].activity = .waiting
    makeReady(child)
  }

  // MARK: Retry

  mutating func beginAttempt(of slot: Int32, _ pass: inout Pass<P>) {
    guard let state = retries[slot] else { preconditionFailure("strand \(slot) retries nothing") }
    strands[Int(slot)].activity = .retrying
    strands[Int(slot)].flags.remove(.endsEarly)
    let child = beginBody(state.body, of: slot, boundary: true, &pass)
    setAttempt(child, of: slot)
  }

  /// What fails in `child` fails the retry or the race `slot`.
  mutating func setAttempt(_ child: Int32, of slot: Int32) {
    strands[Int(child)].catcher = slot
    strands[Int(child)].flags.remove(.passesAttempts)
  }

  mutating func endAttempt(of slot: Int32, _ pass: inout Pass<P>) {
    guard var state = retries[slot] else { preconditionFailure("strand \(slot) retries nothing") }
    guard let failure = state.failure else {
      retries[slot] = nil
      release(state)
      return makeReady(slot)
    }
    let elapsed = state.begun.distance(to: pass.now())
    let delay = state.schedule.delay(afterAttempt: state.attempts, elapsed: elapsed, using: &state.generator)
    guard let delay else {
      retries[slot] = nil
      release(state)
      strands[Int(slot)].activity = .ready
      return fail(slot, failure, &pass)
    }
    state.failure = nil
    state.attempts += 1
    retries[slot] = state
    if delay > 0 {
      strands[Int(slot)].activity = .backingOff
      setDeadline(of: slot, at: pass.now().advanced(by: delay), &pass)
    } else {
      beginAttempt(of: slot, &pass)
    }
  }

  mutating func release(_ retry: RetryState<P>) {
    released.append(retry.body)
    if let failure = retry.failure { releasedFailures.append(failure) }
  }
}

struct RetryState<P: Program> {
  var body: P
  var schedule: RetrySchedule
  var attempts = 1
  var begun: Moment
  var generator: SplitMix64
  var failure: P.Failure?
}
