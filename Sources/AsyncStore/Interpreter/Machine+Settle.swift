extension Machine {
  /// Whether no code of the user's runs on the strand's behalf, so that it may end at once when it is cancelled.
  func isIdle(_ slot: Int32) -> Bool {
    switch strands[Int(slot)].activity {
    case .operating, .handling, .deciding, .evaluating: false
    case .emitting: strands[Int(slot)].flags.contains(.ended)
    default: true
    }
  }

  /// Settles a cancelled strand if nothing of it is running.
  mutating func settleIfIdle(_ slot: Int32, _ pass: inout Pass<P>) {
    guard isIdle(slot), strands[Int(slot)].pending == 0 else { return }
    if strands[Int(slot)].flags.contains(.settled) {
      release(slot, &pass)
    } else {
      settle(slot, &pass)
    }
  }

  /// The strand has nothing left to do or to wait for.
  ///
  /// Cancelled parents for which it was the last one settle too; parents that live go on.
  mutating func settle(_ slot: Int32, _ pass: inout Pass<P>) {
    var current = slot
    while current >= 0 { current = settleOne(current, &pass) }
  }

  /// - Returns: the parent, if it has to settle next; else -1.
  private mutating func settleOne(_ slot: Int32, _ pass: inout Pass<P>) -> Int32 {
    let isCancelled = strands[Int(slot)].flags.contains(.cancelled)
    if !isCancelled, strands[Int(slot)].firstChild >= 0 { cancelWhatNobodyEnds(below: slot, &pass) }
    if isCancelled, case .finalizing(let cleanup) = strands[Int(slot)].activity {
      runCleanup(cleanup, ofCancelled: slot, &pass)
    }
    strands[Int(slot)].flags.insert(.settled)
    if !retries.isEmpty, let failure = endRetry(of: slot) { releasedFailures.append(failure) }
    if !failures.isEmpty, let failure = failures.removeValue(forKey: slot) { releasedFailures.append(failure) }
    if !isCancelled, strands[Int(slot)].registration >= 0 { leaveActive(slot, &pass) }
    reportRoot(slot, &pass)

    let parent = strands[Int(slot)].parent
    let wasAttached = strands[Int(slot)].flags.contains(.attached)
    if strands[Int(slot)].flags.isSuperset(of: [.standsForRoot, .dropped]) {
      strands[Int(strands[Int(slot)].root)].flags.insert(.dropped)
    }
    let hasWon = !isCancelled && strands[Int(slot)].flags.contains(.entrant)
    if wasAttached {
      strands[Int(slot)].flags.remove(.attached)
      strands[Int(parent)].pending -= 1
      if strands[Int(slot)].flags.intersection([.endsEarly, .apart]) == .endsEarly {
        strands[Int(parent)].flags.insert(.endsEarly)
      }
    }
    if !isCancelled, !origins.isEmpty { endCleanup(slot, &pass) }
    if strands[Int(slot)].firstChild < 0, !strands[Int(slot)].flags.contains(.leavesCleanup) {
      release(slot, &pass)
    } else {
      leaveDetachedEffectsInPlace(slot)
    }
    guard wasAttached else { return -1 }
    return childSettled(slot, of: parent, hasWon: hasWon, &pass)
  }

  /// Cancels the detached effects of a clean-up that has settled, if no living scope owns them.
  private mutating func cancelWhatNobodyEnds(below slot: Int32, _ pass: inout Pass<P>) {
    let parent = strands[Int(slot)].parent
    let isAlone =
      parent < 0
      ? strands[Int(slot)].flags.contains(.silent)
      : strands[Int(strands[Int(parent)].boundary)].flags.contains(.cancelled)
    if isAlone { cancelChildren(of: slot, alsoDetached: true, &pass) }
  }

  private mutating func reportRoot(_ slot: Int32, _ pass: inout Pass<P>) {
    let flags = strands[Int(slot)].flags
    guard strands[Int(slot)].parent < 0 else { return }
    let failure = rootFailures.isEmpty ? nil : rootFailures.removeValue(forKey: slot)
    let isOver = strands[Int(slot)].firstChild < 0 && !flags.contains(.leavesCleanup)
    if !flags.contains(.silent) { unsettledTrees -= 1 }
    // A clean-up is over with its attached part: timers that it has started are nobody's.
    if flags.contains(.silent), !isOver, flags.isDisjoint(with: [.cancelled, .leavesCleanup]),
      let context = strands[Int(slot)].context.take()
    {
      pass.directives.append(.over(context))
    }
    if flags.isDisjoint(with: [.silent, .abandoned]), flags.contains(.cancelled), !isOver {
      // A cancelled tree settles with its clean-ups.
      strands[Int(slot)].flags.insert(.settlesLate)
      return
    }
    guard !flags.contains(.silent),
      let context = isOver ? strands[Int(slot)].context.take() : strands[Int(slot)].context
    else { return }
    let ending: Ending<P.Failure>
    if flags.contains(.cancelled) || flags.contains(.endsCancelled) {
      ending = .cancelled
    } else if let failure {
      ending = .failed(failure)
    } else {
      ending = flags.contains(.dropped) ? .dropped : .finished
    }
    pass.directives.append(.settled(context, ending, isOver: isOver))
  }

  /// Detached effects outlive the strand that owns them: a scope stays for them, anything else hands them on to the
  /// next owner.
  ///
  /// So cancelling the scope still reaches them. A cancelled strand stays too: what is below it finds its place by it.
  private mutating func leaveDetachedEffectsInPlace(_ slot: Int32) {
    let parent = strands[Int(slot)].parent
    guard parent >= 0 else { return }
    let owner = strands[Int(parent)].boundary
    if !strands[Int(slot)].flags.isDisjoint(with: [.lingers, .cancelled]) {
      if owner != parent {
        removeFromParent(slot)
        insert(slot, under: owner)
      }
      passOverAttempts(slot)
    } else {
      while strands[Int(slot)].firstChild >= 0 {
        let child = strands[Int(slot)].firstChild
        removeFromParent(child)
        insert(child, under: owner)
        passOverAttempts(child)
      }
      free(slot)
    }
  }

  /// What lives on beyond an attempt of a retry, or beyond a race, fails past it.
  private mutating func passOverAttempts(_ slot: Int32) {
    if let recovery = recoveries[slot] {
      recoveries[slot] = Recovery(site: recovery.site, outer: nearestRecovery(from: recovery.outer))
    } else {
      strands[Int(slot)].catcher = nearestRecovery(from: strands[Int(slot)].catcher)
    }
  }

  /// Gives back a strand that has settled and below which nothing lives, and everything that stayed only for it: owners
  /// above, and what it is the clean-up of.
  mutating func release(_ slot: Int32, _ pass: inout Pass<P>) {
    var stayed: [Int32] = []
    releaseWithOwners(slot, &stayed, &pass)
    while let origin = stayed.popLast() {
      strands[Int(origin)].flags.remove(.leavesCleanup)
      releaseWithOwners(origin, &stayed, &pass)
    }
  }

  private mutating func releaseWithOwners(_ slot: Int32, _ stayed: inout [Int32], _ pass: inout Pass<P>) {
    var current = slot
    while current >= 0 {
      guard strands[Int(current)].flags.contains(.settled), strands[Int(current)].firstChild < 0,
        !strands[Int(current)].flags.contains(.leavesCleanup)
      else { return }
      let parent = strands[Int(current)].parent
      if parent < 0, let context = strands[Int(current)].context {
        let settlesLate = strands[Int(current)].flags.contains(.settlesLate)
        pass.directives.append(settlesLate ? .settled(context, .cancelled, isOver: true) : .over(context))
      }
      let registration = strands[Int(current)].registration >= 0 ? leaveRegistration(current) : -1
      free(current)
      if !origins.isEmpty, let origin = origins.removeValue(forKey: current) { stayed.append(origin) }
      if registration >= 0 { serve(registration, &pass) }
      guard parent >= 0, strands[Int(parent)].flags.contains(.settled) else { return }
      current = parent
    }
  }

  // MARK: Parents

  /// - Returns: the parent, if it is cancelled and has nothing left to wait for; else -1.
  private mutating func childSettled(
    _ child: Int32, of parent: Int32, hasWon: Bool, _ pass: inout Pass<P>
  ) -> Int32 {
    let isLast = strands[Int(parent)].pending == 0
    if strands[Int(parent)].flags.contains(.cancelled) {
      guard isLast, isIdle(parent) else { return -1 }
      if strands[Int(parent)].flags.contains(.settled) {
        release(parent, &pass)
        return -1
      }
      return parent
    }
    switch strands[Int(parent)].activity {
    case .waiting:
      if isLast { makeParentReady(parent, stepping: pass.tree) }
    case .merging:
      scheduleParent(parent, stepping: pass.tree)
    case .racing(let members, let next, let winner):
      if winner < 0, hasWon {
        strands[Int(parent)].activity = .racing(members, next: next, winner: child)
        cancelAttachedChildren(of: parent, &pass)
      }
      scheduleParent(parent, stepping: pass.tree)
    case .bounding:
      guard isLast else { break }
      deadlines.remove(parent)
      makeParentReady(parent, stepping: pass.tree)
    case .retrying:
      if isLast { scheduleParent(parent, stepping: pass.tree) }
    case .finalizing(let cleanup):
      guard isLast else { break }
      strands[Int(parent)].activity = .waiting
      start(cleanup: cleanup, on: makeChild(of: parent, attached: true, &pass))
    case .sequencing, .undoing:
      if isLast { scheduleParent(parent, stepping: pass.tree) }
    case .compensating(let undo):
      guard isLast else { break }
      endCompensated(parent, undo)
    case .emitting:
      if isLast { continueSource(parent, &pass) }
    default:
      break
    }
    return -1
  }
}
