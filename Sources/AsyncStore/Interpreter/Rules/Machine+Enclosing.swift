/// Effects that enclose another effect and watch its fiber, unless it is folded into their own.
///
/// Laws 12, 15 and 19. Events: none of its own. Activities: `bounding`, `finalizing`, `waiting`, `ready`.
extension Machine {
  /// Begins an effect with a time limit.
  ///
  /// If no time is left, runs its `else` instead.
  mutating func beginTimeout(
    _ span: Moment.Span, _ body: consuming P, otherwise: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>
  ) -> Progress {
    if span > 0, mayFold(body, into: .timeout, pass) {
      setDeadline(of: slot, at: pass.now().advanced(by: span), &pass)
      return beginFolded(consume body, slot, &pass)
    }
    fibers[slot].releaseEffect(to: &released)
    if span > 0 {
      fibers[slot].activity = .bounding(otherwise: consume otherwise)
      setDeadline(of: slot, at: pass.now().advanced(by: span), &pass)
      beginChild(running: consume body, of: slot, boundary: true, &pass)
    } else {
      push(consume otherwise, on: slot)
    }
    return .continues
  }

  mutating func beginRecovery(
    _ body: consuming P, handledBy handler: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>
  ) {
    let child = beginChild(running: body, of: slot, boundary: true, &pass)
    fibers.makeRare(of: child).pointee.recovery = Recovery(handler: handler, outer: fibers[slot].catcher)
    fibers[child].catcher = child
    fibers[child].flags.formUnion([.recovers, .lingers])
    fibers[slot].activity = .waiting
  }

  mutating func beginFinally(_ body: consuming P, cleanup: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>) {
    fibers[slot].activity = .finalizing(cleanup: cleanup)
    beginChild(running: body, of: slot, &pass)
  }

  /// Ends a timeout whose deadline has passed: first the barrier, then its `else`.
  mutating func timeOut(_ slot: FiberSlot, otherwise: P, _ pass: inout Pass<P>) {
    // Ready, so that the end of the cancelled children doesn't continue the fiber.
    fibers[slot].activity = .ready
    let height = ready.count
    trace(.timedOut, as: .timedOut, of: slot, &pass)
    cancelAttachedChildren(of: slot, &pass)
    awaitBarrier(&pass)
    // A scope that is cleaning up has already passed on that it has not completed.
    fibers[slot].flags.remove(.endsEarly)
    fibers[slot].activity = .waiting
    beginChild(running: otherwise, of: slot, behind: height, &pass)
  }

  /// Runs an effect in a child of the fiber `slot`, which recovers.
  ///
  /// The fiber itself can't also retry or race, because it would be unclear which of the two catches an error.
  mutating func beginBelowRecovery(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    let site = site(of: slot)
    beginChild(running: site.effect, of: slot, &pass)
    fibers[slot].releaseEffect(to: &released)
    fibers[slot].activity = .waiting
  }

  /// Begins a labelled effect.
  ///
  /// In tail position the newest label replaces the others, so that a recursion with a label runs forever too.
  mutating func beginLabelled(
    _ body: consuming P, label: P.Label, _ slot: FiberSlot, _ pass: inout Pass<P>
  ) {
    var target = slot
    if hasMoreToDo(slot) {
      target = makeChild(of: slot, attached: true, &pass)
      handDownLastEnd(from: slot, to: target)
      fibers[slot].releaseEffect(to: &released)
      fibers[slot].activity = .waiting
    }
    fibers[target].nearestLabel = label
    fibers[target].flags.insert(.labelled)
    push(body, on: target)
    if target != slot { makeReady(target) }
  }

  /// Passes to a labelled effect how the effect before it ended.
  ///
  /// The labelled effect forgets this when anything inside it runs; otherwise it passes it back when it settles.
  private mutating func handDownLastEnd(from slot: FiberSlot, to child: FiberSlot) {
    let end = fibers[slot].flags.intersection([.dropped, .endsEarly])
    fibers[child].flags.formUnion(end)
    fibers[slot].flags.subtract(end)
    fibers[child].completion = fibers[slot].completion
  }
}
