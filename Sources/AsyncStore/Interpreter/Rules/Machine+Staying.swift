/// Settled fibers that stay for their detached effects or for a cleanup, and cancelled ones that stay for an operation.
///
/// Laws 5, 20 and 21. Events: none of its own. Activities: `merging`, `racing`, `bounding`, `finalizing` and
/// `compensating`, each without the effects that can no longer begin.
extension Machine {
  /// Hands detached effects to their owner: a scope stays for them, any other fiber passes them to the next owner.
  ///
  /// This way, cancelling the scope still reaches them. A cancelled fiber stays too, because cleanups below it find
  /// their place through it.
  mutating func leaveDetachedEffectsInPlace(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    let parent = fibers[slot].parent
    releaseForStay(slot)
    // From now on nothing waits for this fiber, and the fibers around it may go.
    fibers[slot].cancelledTarget = slot
    guard parent.exists else { return }
    let owner = fibers[parent].boundary
    unfold(owner, &pass)
    if !fibers[slot].flags.isDisjoint(with: [.lingers, .cancelled]) {
      if owner != parent {
        fibers.removeFromParent(slot)
        fibers.insert(slot, under: owner)
      }
      passOverAttempts(slot)
    } else {
      var count = 0
      while fibers[slot].firstChild.exists {
        count += 1
        let child = fibers[slot].firstChild
        fibers.removeFromParent(child)
        fibers.insert(child, under: owner)
        passOverAttempts(child)
      }
      pass.charge(count)
      free(slot)
    }
  }

  /// Makes errors of a fiber that outlives an attempt of a retry, or a race, bypass that retry or race.
  private mutating func passOverAttempts(_ slot: FiberSlot) {
    if let recovery = fibers[slot].rare?.pointee.recovery {
      fibers[slot].rare?.pointee.recovery?.outer = nearestRecovery(from: recovery.outer)
    } else {
      fibers[slot].catcher = nearestRecovery(from: fibers[slot].catcher)
    }
  }

  /// Frees a settled fiber that has no living descendants, and everything that stayed only for it: its owners, and the
  /// fiber that it cleaned up after.
  mutating func freeSettled(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    var stayed: [FiberSlot] = []
    freeSettledWithOwners(slot, &stayed, &pass)
    while let origin = stayed.popLast() { freeSettledWithOwners(origin, &stayed, &pass) }
  }

  private mutating func freeSettledWithOwners(_ slot: FiberSlot, _ stayed: inout [FiberSlot], _ pass: inout Pass<P>) {
    var current = slot
    while current.exists {
      guard fibers[current].flags.contains(.settled), !fibers[current].firstChild.exists,
        !fibers[current].flags.contains(.leavesCleanup)
      else { return }
      let parent = fibers[current].parent
      if !parent.exists, let context = fibers[current].context {
        let liftEnding = liftEnding(of: current, endingAs: .cancelled)
        pass.directives.append(
          fibers[current].flags.contains(.settlesLate)
            ? .settle(context, .cancelled, isOver: true, liftEnding) : .end(context))
      }
      if fibers[current].flags.contains(.settlesLate) { counts.lateTrees -= 1 }
      let registration: RegistrationSlot = fibers[current].registration.exists ? removeFromRegistration(current) : .none
      if let origin = takeOrigin(of: current) { stayed.append(origin) }
      free(current)
      if registration.exists { serve(registration, &pass) }
      guard parent.exists, fibers[parent].flags.contains(.settled) else { return }
      current = parent
    }
  }
}

extension Machine {
  // MARK: Releasing

  /// Releases the effects of a settled fiber that stays for its descendants or its cleanup.
  mutating func releaseForStay(_ slot: FiberSlot) {
    guard fibers[slot].flags.contains(.cancelled) else { return fibers[slot].releaseAll(to: &released) }
    releasePlans(of: slot)
  }

  /// Releases the plans of a cancelled fiber that stays for an operation that has not returned, or for its descendants.
  ///
  /// The cleanup of a `finally` is released only if it can no longer run.
  mutating func releasePlans(of slot: FiberSlot) {
    if case .operating = fibers[slot].activity {
      fibers[slot].releaseAllButOperation(to: &released)
    } else {
      fibers[slot].releaseAll(to: &released)
    }
    switch fibers[slot].activity {
    case .merging(let program?, let next, let limit):
      released.append(program)
      fibers[slot].activity = .merging(nil, next: next, limit: limit)
    case .racing(let program?, let next, let winner):
      released.append(program)
      fibers[slot].activity = .racing(nil, next: next, winner: winner)
    case .compensating(by: let program?) where !mayHaveCompleted(slot):
      released.append(program)
      fibers[slot].activity = .compensating(by: nil)
    case .bounding(let program?):
      released.append(program)
      fibers[slot].activity = .bounding(otherwise: nil)
    case .finalizing(let program?) where fibers[slot].flags.contains(.abandoned):
      released.append(program)
      // The fiber still waits for its body, because its place among cleanups may already be taken.
      fibers[slot].activity = .finalizing(cleanup: nil)
    case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding,
      .backingOff, .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating,
      .queued, .joining, .ticking, .emitting:
      break
    }
    guard let rare = fibers[slot].rare else { return }
    releaseBacklog(of: slot)
    if fibers[slot].flags.contains(.abandoned), let undo = rare.pointee.undo.take() { released.append(undo) }
    if let handler = rare.pointee.recovery?.handler.take() { released.append(handler) }
    releaseAttempts(of: rare)
  }
}
