/// Effects that had completed when a cancel reached them, although this store did not know it: they waited only for
/// lifted effects, which had completed in their own stores.
///
/// Law 25. Events: none of its own. Activities: `operating` for a lift, and all that wait for a child.
///
/// Such an effect has completed, so it has to be undone. A cancel that marks a fiber records whether the fiber has
/// anything left to do except wait. As fibers settle, each tells its parent whether everything it waited for has
/// completed.
extension Machine {
  /// Records whether a fiber that a cancel has just marked may have completed; the fiber must not have released its
  /// work.
  ///
  /// Called for parents before their children.
  mutating func noteCompletion(of slot: FiberSlot) {
    let flags = fibers[slot].flags
    let hasMoreToDo = hasMoreToDo(slot)
    if flags.contains(.endsEarly) {
      // The fiber waits for the cleanup of its last effect, which an earlier cancel has reached.
      fibers[slot].completion = completionAfterCancel(of: slot, hasMoreToDo: hasMoreToDo)
    } else if case .operating = fibers[slot].activity, flags.contains(.lifts) {
      fibers[slot].completion = hasMoreToDo ? [] : .complete
    } else if case .compensating(by: _?) = fibers[slot].activity, waitsForMore(slot) {
      fibers[slot].completion = hasMoreToDo ? [.possible, .ofBody] : .possible
    } else if isBeforeItsEnd(slot) {
      fibers[slot].completion = .complete
    } else {
      let isPossible = waitsForMore(slot) && isDoneWithChildren(slot)
      fibers[slot].completion = isPossible ? .possible : []
    }
    if fibers[slot].completion.isDisjoint(with: .possible) || hasMoreToDo { denyCompletion(around: slot) }
  }

  /// Returns the known completion of a fiber whose last effect was reached by an earlier cancel.
  private func completionAfterCancel(of slot: FiberSlot, hasMoreToDo: Bool) -> Completion {
    guard fibers[slot].completion.isSuperset(of: .complete) else { return [] }
    if case .compensating(by: _?) = fibers[slot].activity {
      return hasMoreToDo ? [.possible, .met, .ofBody] : .complete
    }
    // A sequence that is being undone, or has more members, has not completed.
    let isUndone =
      fibers[slot].rare.map { $0.pointee.hasBacklog || $0.pointee.failure != nil || $0.pointee.undoesMembers }
      ?? false
    return hasMoreToDo || isUndone ? [] : .complete
  }

  /// Records that a cancel has met a child of a marked fiber that an earlier cancel has reached or that this cancel
  /// spares.
  mutating func noteCompletion(ofMarkedBefore slot: FiberSlot) {
    // A sequence that is being undone because of a cancelled member does not complete.
    let isUndone = fibers[fibers[slot].parent].rare?.pointee.undoesMembers == true
    if isUndone || !fibers[slot].flags.contains(.cancelled) || !fibers[slot].completion.contains(.possible) {
      denyCompletion(around: slot)
    }
  }

  /// Records that the fiber's last effect has not completed, so that a sequence around it ends.
  mutating func endEarly(_ slot: FiberSlot) {
    fibers[slot].flags.insert(.endsEarly)
    fibers[slot].completion = []
  }

  /// Tells the parent whether a settling fiber has completed.
  mutating func handOnCompletion(of slot: FiberSlot) {
    let parent = fibers[slot].parent
    if fibers[parent].flags.contains(.cancelled) {
      if fibers[slot].completion != .complete {
        denyCompletion(around: slot, isKnown: !fibers[slot].completion.contains(.possible))
      } else if !isIgnored(slot) {
        fibers[parent].completion.insert(.met)
      }
    } else if fibers[slot].flags.intersection([.endsEarly, .endIsIgnored]) == .endsEarly {
      fibers[parent].flags.insert(.endsEarly)
      fibers[parent].completion = fibers[slot].completion == .complete ? .complete : []
    }
  }

  /// Returns whether a fiber that is settling, or whose body is, has completed, here or in another store.
  func hasCompleted(_ slot: FiberSlot) -> Bool {
    let flags = fibers[slot].flags
    let hasCompletedElsewhere = fibers[slot].completion.isSuperset(of: .complete)
    return flags.contains(.cancelled)
      ? hasCompletedElsewhere && !flags.contains(.abandoned) : hasCompletedElsewhere || !flags.contains(.endsEarly)
  }

  /// Returns whether a cancelled fiber may still turn out to have completed.
  func mayHaveCompleted(_ slot: FiberSlot) -> Bool {
    fibers[slot].completion.contains(.possible) && !fibers[slot].flags.contains(.abandoned)
  }

  /// Records that the enclosing effects that would have completed with this fiber have not completed.
  ///
  /// - Parameter isKnown: true if this was recorded before, except for a surrounding race that had another entrant.
  mutating func denyCompletion(around slot: FiberSlot, isKnown: Bool = false) {
    var denied = slot
    while fibers[denied].flags.contains(.attached), !isIgnored(denied) {
      let parent = fibers[denied].parent
      guard fibers[parent].flags.contains(.cancelled), fibers[parent].completion.contains(.possible) else { return }
      if case .racing = fibers[parent].activity, isKnown && denied == slot || mayComplete(parent, besides: denied) {
        return
      }
      fibers[parent].completion.remove(.possible)
      denied = parent
    }
  }

  /// Returns whether a cancelled race may have completed with another entrant.
  ///
  /// Entrants are marked in order, so a search that begins while marking ends with the next entrant.
  private func mayComplete(_ race: FiberSlot, besides denied: FiberSlot) -> Bool {
    if fibers[race].completion.contains(.met) { return true }
    func mayComplete(_ entrant: FiberSlot) -> Bool {
      guard fibers[entrant].flags.contains(.attached), !isIgnored(entrant) else { return false }
      let completion = fibers[entrant].completion.intersection([.possible, .ofBody])
      return !fibers[entrant].flags.contains(.cancelled) || completion == .possible
    }
    var entrant = fibers[denied].next
    while entrant.exists {
      if mayComplete(entrant) { return true }
      entrant = fibers[entrant].next
    }
    entrant = fibers[race].firstChild
    while entrant != denied {
      if mayComplete(entrant) { return true }
      entrant = fibers[entrant].next
    }
    return false
  }

  /// Returns whether the parent of a fiber only has to wait for it, however it ends: the fiber was cancelled earlier,
  /// or cleans up after something that was.
  private func isIgnored(_ slot: FiberSlot) -> Bool {
    if fibers[slot].rare?.pointee.origin.exists == true { return true }
    return fibers[slot].flags.isSuperset(of: [.endIsIgnored, .cancelled]) && fibers[slot].cancelledTarget == slot
  }

  /// Returns whether a fiber waits for something whose ending matters to it.
  private func waitsForMore(_ slot: FiberSlot) -> Bool {
    guard fibers[slot].pending > 0 else { return false }
    var child = fibers[slot].firstChild
    while child.exists {
      if fibers[child].flags.contains(.attached), !isIgnored(child) { return true }
      child = fibers[child].next
    }
    return false
  }

  /// Returns whether a fiber has completed once everything it waits for has completed.
  private func isDoneWithChildren(_ slot: FiberSlot) -> Bool {
    guard !hasMoreToDo(slot) else { return false }
    return switch fibers[slot].activity {
    case .ready, .waiting, .bounding, .retrying: true
    case .racing(_, _, let winner): !winner.exists
    case .merging(nil, _, _): fibers[slot].rare?.pointee.hasBacklog != true
    // A cancelled sequence with members to undo is finalizing.
    case .sequencing, .finalizing:
      fibers[slot].rare.map { !$0.pointee.hasBacklog && $0.pointee.failure == nil } ?? true
    case .evaluating, .operating, .sleeping, .turn, .deciding, .backingOff, .window, .folded, .handling, .throttled,
      .merging, .undoing, .compensating, .queued, .joining, .ticking, .emitting:
      false
    }
  }

  /// Returns whether a fiber will end with its next step, because everything it waited for has ended.
  ///
  /// A pass still has to make that step: a suspended pass, or this one, which cancels something first.
  func isBeforeItsEnd(_ slot: FiberSlot) -> Bool {
    guard fibers[slot].flags.contains(.scheduled), fibers[slot].pending == 0 else { return false }
    switch fibers[slot].activity {
    case .racing(_, _, let winner) where winner.exists: return !hasMoreToDo(slot)
    case .merging, .ready, .sequencing: return isDoneWithChildren(slot)
    // A cancelled sequence with members to undo.
    case .finalizing where fibers[slot].rare?.pointee.undoesMembers == true: return isDoneWithChildren(slot)
    case .retrying: return fibers[slot].rare?.pointee.retry.failure == nil && !hasMoreToDo(slot)
    case .evaluating, .operating, .sleeping, .waiting, .turn, .deciding, .backingOff, .window, .folded, .handling,
      .throttled, .racing, .bounding, .finalizing, .undoing, .compensating, .queued, .joining, .ticking,
      .emitting:
      return false
    }
  }
}
