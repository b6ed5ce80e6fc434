/// Deadlines and timers.
///
/// Laws 13 and 14. Events: `timePassed`, `ticked`. Activities: `sleeping`, `ticking`; `bounding`, `folded`,
/// `backingOff` and `window` have deadlines too.
extension Machine {
  /// Fires the earliest deadline that is due at `now`.
  ///
  /// The consequences of a deadline happen at the deadline and not at `now`, so that consecutive sleeps add up exactly,
  /// however late the alarm was.
  ///
  /// - Returns: true if a deadline was due.
  mutating func timePassed(to now: Moment, _ pass: inout Pass<P>) -> Bool {
    guard let earliest = deadlines.earliest, earliest <= now else { return false }
    unfold(deadlines.earliestSlot, &pass)
    let (deadline, slot) = deadlines.removeEarliest()
    pass.setTime(to: deadline)
    switch fibers[slot].activity {
    case .sleeping:
      traceEnd(of: slot, .finished, &pass)
      makeReady(slot)
    case .bounding(let otherwise?):
      timeOut(slot, otherwise: otherwise, &pass)
    case .backingOff:
      traceWaitEnd(.backOff, of: slot, &pass)
      beginAttempt(of: slot, &pass)
    case .window:
      endWindow(slot, at: deadline, &pass)
    case .ticking(let index):
      tick(slot, index: index, deadline: deadline, now: now, &pass)
    case .ready, .evaluating, .operating, .folded, .waiting, .turn, .throttled, .retrying, .deciding, .handling,
      .merging, .racing, .bounding(nil), .finalizing, .sequencing, .undoing, .compensating, .queued, .joining,
      .emitting:
      preconditionFailure("a deadline of a fiber that waits for none: \(fibers[slot].activity)")
    }
    step(&pass)
    return true
  }

  mutating func sleep(_ span: Moment.Span, _ slot: FiberSlot, _ pass: inout Pass<P>) {
    fibers[slot].keepEffect(to: &released)
    fibers[slot].activity = .sleeping
    setDeadline(of: slot, at: pass.now().advanced(by: span), &pass)
    traceBegin(of: slot, &pass)
  }

  mutating func setDeadline(of slot: FiberSlot, at deadline: Moment, _ pass: inout Pass<P>) {
    // The end of time never comes.
    if deadline.nanoseconds < .max { deadlines.insert(slot, at: deadline) }
    pass.hasWaits = true
  }

  // MARK: Timers

  mutating func beginTimer(interval: Moment.Span, from slot: FiberSlot, _ pass: inout Pass<P>) {
    guard mayBeginSource(from: slot) else { return }
    let site = site(of: slot)
    let timer = beginDetached(from: slot, &pass)
    stand(timer, at: site)
    fibers[timer].activity = .ticking(index: 1)
    setDeadline(of: timer, at: pass.now().advanced(by: interval), &pass)
    traceBegin(of: timer, &pass)
  }

  /// Handles a due tick of a timer, whose ticks are on a grid.
  ///
  /// Missed ticks are merged into one tick with the newest index, and the next tick is on the grid again.
  private mutating func tick(
    _ slot: FiberSlot, index: Int64, deadline: Moment, now: Moment, _ pass: inout Pass<P>
  ) {
    guard let site = fibers[slot].site, case .timer(let interval) = site.program.instruction(at: site.index)
    else {
      preconditionFailure("fiber \(slot) ticks without being a timer")
    }
    let missed = deadline.distance(to: now) / interval
    let due = deadline.advanced(by: missed * interval)
    fibers[slot].activity = .ticking(index: index + missed + 1)
    setDeadline(of: slot, at: due.advanced(by: interval), &pass)
    let tick = Tick(interval: interval, index: index + missed, missed: missed, due: due)
    trace(.ticked(tick, late: due.distance(to: now)), as: .ticked, of: slot, &pass)
    pass.directives.append(.tick(id(of: slot), tick))
  }

  /// Begins the effect that a tick was mapped to.
  mutating func ticked(_ id: FiberID, _ program: P, due: Moment, _ pass: inout Pass<P>) {
    guard !isCancelled(id) else { return }
    pass.setTime(to: due)
    beginChild(running: program, of: id.slot, &pass)
    step(&pass)
  }
}
