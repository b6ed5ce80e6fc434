/// The end of a fiber, and its consequences for the fiber's parent, tree, identifier and cleanup.
///
/// Laws 2, 20 and 21. Events: none of its own. Activities: `waiting`, `merging`, `racing`, `bounding`, `finalizing`,
/// `compensating`.
extension Machine {
  /// Settles a cancelled fiber if no part of it is running.
  mutating func settleIfIdle(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard fibers[slot].isIdle, fibers[slot].pending == 0 else { return releasePlans(of: slot) }
    if fibers[slot].flags.contains(.settled) {
      freeSettled(slot, &pass)
    } else {
      settle(slot, &pass)
    }
  }

  /// Settles a fiber that has nothing left to do or to wait for.
  ///
  /// Cancelled parents that waited only for this fiber settle too; live parents continue.
  mutating func settle(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    var current = slot
    while current.exists { current = settleOne(current, &pass) }
  }

  /// - Returns: the parent if it has to settle next, otherwise none.
  private mutating func settleOne(_ slot: FiberSlot, _ pass: inout Pass<P>) -> FiberSlot {
    let isCancelled = fibers[slot].flags.contains(.cancelled)
    var isActive = !isCancelled && fibers[slot].registration.exists
    if !isCancelled, fibers[slot].firstChild.exists, mayNotLeaveAnything(slot) {
      if isActive { freePlace(of: slot, &pass) }
      isActive = false
      cancelWhatIsLeft(by: slot, &pass)
    }
    if isCancelled, !leaveCleanups(ofCancelled: slot, &pass) { return .none }
    fibers[slot].flags.insert(.settled)
    if fibers[slot].rare != nil { releaseFailures(of: slot, &pass) }
    if isActive { freePlace(of: slot, &pass) }
    reportRoot(slot, &pass)

    let parent = fibers[slot].parent
    let wasAttached = fibers[slot].flags.contains(.attached)
    if fibers[slot].flags.isSuperset(of: [.standsForRoot, .dropped]) {
      fibers[fibers[slot].root].flags.insert(.dropped)
    }
    let isCutShort = isCancelled && fibers[slot].flags.contains(.endsEarly)
    let hasWon = wasAttached && !isCancelled && fibers[slot].flags.contains(.entrant) && reachesGoal(slot)
    if wasAttached { handOn(to: parent, from: slot) }
    if !isCancelled { endCleanup(slot, &pass) }
    if !fibers[slot].firstChild.exists, !fibers[slot].flags.contains(.leavesCleanup) {
      freeSettled(slot, &pass)
    } else {
      leaveDetachedEffectsInPlace(slot, &pass)
    }
    guard wasAttached else { return .none }
    return childSettled(slot, of: parent, hasWon: hasWon, isCutShort: isCutShort, &pass)
  }

  /// Lets the cleanups of a cancelled fiber begin: its `finally`, its compensations, and the effect of an error.
  ///
  /// - Returns: false if an error handler has to be called first, for which the fiber stays.
  private mutating func leaveCleanups(ofCancelled slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    if case .finalizing(let cleanup) = fibers[slot].activity {
      // From here on the cleanup belongs to the fiber that runs it.
      fibers[slot].activity = .waiting
      var program = cleanup
      if let cleanup, fibers[slot].rare?.pointee.undoesMembers == true,
        leaveUndo(cleanup, ofCancelled: slot, isSequence: true)
      {
        program = nil
      }
      runCleanup(program, ofCancelled: slot, &pass)
    }
    if case .compensating(let own) = fibers[slot].activity {
      fibers[slot].activity = .waiting
      undo(own, ofCancelled: slot, &pass)
    }
    if let failure = takeHeldFailure(of: slot) {
      if failLate(slot, failure, mayRecover: true, &pass) { return false }
      released.append(failure: failure)
    }
    return true
  }

  /// Hands on what a settled child has done to the parent that waits for it.
  private mutating func handOn(to parent: FiberSlot, from slot: FiberSlot) {
    handOnCompletion(of: slot)
    fibers[slot].flags.remove(.attached)
    fibers[parent].pending -= 1
    // The fiber has run on behalf of its parent too, for example a member with a label whose list continues in the
    // parent. A scope counts as having run even if it was empty.
    let hasRun: Fiber<P>.Flags = fibers[slot].registration.exists ? .hasRun : fibers[slot].flags.intersection(.hasRun)
    fibers[parent].flags.formUnion(hasRun)
    if fibers[slot].flags.contains(.dropped), !fibers[parent].flags.contains(.hasRun) {
      fibers[parent].flags.insert(.dropped)
    }
  }

  /// Returns whether a settled entrant has reached its race's goal.
  @inline(__always)
  private func reachesGoal(_ entrant: FiberSlot) -> Bool {
    !fibers[entrant].flags.contains(.endsEarly) || !fibers[fibers[entrant].parent].flags.contains(.toSucceed)
  }

  /// Takes the error that a cancelled sequence would have failed with.
  ///
  /// The error is handled like the error of a cancelled operation.
  ///
  /// A race keeps its error, because it fails only if no entrant is left.
  private mutating func takeHeldFailure(of slot: FiberSlot) -> P.Failure? {
    if case .racing = fibers[slot].activity { return nil }
    return fibers[slot].rare?.pointee.failure.take()
  }

  private mutating func releaseFailures(of slot: FiberSlot, _ pass: inout Pass<P>) {
    if let failure = endRetry(of: slot, &pass) { released.append(failure: failure) }
    if let failure = fibers[slot].rare?.pointee.failure.take() { released.append(failure: failure) }
  }

  /// Returns whether detached effects must not outlive the fiber, because it is a settled cleanup outside any living
  /// scope or an entrant that has lost.
  private func mayNotLeaveAnything(_ slot: FiberSlot) -> Bool {
    let parent = fibers[slot].parent
    guard parent.exists else { return fibers[slot].flags.contains(.silent) }
    return fibers[fibers[parent].boundary].flags.contains(.cancelled) || hasLost(slot)
  }

  private func hasLost(_ slot: FiberSlot) -> Bool {
    fibers[slot].flags.isSuperset(of: [.attached, .entrant]) && !reachesGoal(slot)
  }

  /// Cancels the effects that a fiber has left running.
  ///
  /// Until they have ended, the fiber's identifier is in flight again.
  private mutating func cancelWhatIsLeft(by slot: FiberSlot, _ pass: inout Pass<P>) {
    cancelChildren(of: slot, alsoDetached: true, &pass)
    if fibers[slot].registration.exists, fibers[slot].firstChild.exists { giveUpIdentifier(slot, isActive: false) }
    if hasLost(slot) { awaitBarrier(&pass) }
  }

  private mutating func reportRoot(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    let flags = fibers[slot].flags
    guard !fibers[slot].parent.exists else { return }
    let failure = fibers[slot].rare?.pointee.rootFailure.take()
    if let failure { released.append(failure: failure) }
    let isOver = !fibers[slot].firstChild.exists && !flags.contains(.leavesCleanup)
    if !flags.contains(.silent) { counts.unsettledTrees -= 1 }
    // A cleanup is over with its attached part; nothing owns the timers that it has started.
    if flags.contains(.silent), !isOver, flags.isDisjoint(with: [.cancelled, .leavesCleanup]),
      let context = fibers[slot].context.take()
    {
      pass.directives.append(.end(context))
    }
    if flags.isDisjoint(with: [.silent, .abandoned]), flags.contains(.cancelled), !isOver {
      // A cancelled tree settles with its cleanups.
      fibers[slot].flags.insert(.settlesLate)
      counts.lateTrees += 1
    } else if !flags.contains(.silent), let context = isOver ? fibers[slot].context.take() : fibers[slot].context {
      let ending: Ending<P.Failure>
      if flags.contains(.cancelled) || flags.contains(.endsCancelled) {
        ending = .cancelled
      } else if let failure {
        ending = .failed(failure)
      } else {
        ending = flags.contains(.dropped) ? .dropped : .finished
      }
      pass.directives.append(.settle(context, ending, isOver: isOver, liftEnding(of: slot, endingAs: ending)))
    }
  }

  // MARK: Parents

  /// - Parameter isCutShort: true if the child was cancelled by its identifier.
  /// - Returns: the parent if it is cancelled and has nothing left to wait for, otherwise none.
  private mutating func childSettled(
    _ child: FiberSlot, of parent: FiberSlot, hasWon: Bool, isCutShort: Bool, _ pass: inout Pass<P>
  ) -> FiberSlot {
    let isLast = fibers[parent].pending == 0
    if fibers[parent].flags.contains(.cancelled) {
      guard isLast, fibers[parent].isIdle else { return .none }
      if fibers[parent].flags.contains(.settled) {
        freeSettled(parent, &pass)
        return .none
      }
      return parent
    }
    switch fibers[parent].activity {
    case .waiting:
      if isLast { makeParentReady(parent, isCutShort: isCutShort, stepping: pass.tree) }
    case .merging:
      scheduleParent(parent, isCutShort: isCutShort, stepping: pass.tree)
    case .racing:
      entrantSettled(child, of: parent, hasWon: hasWon, &pass)
      scheduleParent(parent, isCutShort: isCutShort, stepping: pass.tree)
    case .bounding:
      guard isLast else { break }
      if case .bounding(let otherwise?) = fibers[parent].takeActivity() { released.append(otherwise) }
      deadlines.remove(parent)
      makeParentReady(parent, isCutShort: isCutShort, stepping: pass.tree)
    case .retrying, .sequencing, .undoing:
      if isLast { scheduleParent(parent, isCutShort: isCutShort, stepping: pass.tree) }
    case .finalizing(let cleanup):
      // A live parent still has its cleanup.
      guard isLast, let cleanup else { break }
      fibers[parent].activity = .waiting
      start(cleanup: cleanup, on: makeChild(of: parent, attached: true, &pass))
    case .compensating:
      guard isLast, case .compensating(let undo) = fibers[parent].takeActivity() else { break }
      endCompensated(parent, undo)
    case .emitting:
      if isLast { continueSource(parent, &pass) }
    case .ready, .evaluating, .operating, .folded, .sleeping, .turn, .throttled, .deciding, .backingOff, .handling,
      .window, .queued, .joining, .ticking:
      break
    }
    return .none
  }
}
