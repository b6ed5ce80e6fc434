/// Sequences, and the compensations that undo their members.
///
/// Law 25. Events: none of its own. Activities: `sequencing`, `undoing`, `compensating`.
///
/// A member runs in a fiber of its own, a `set` excepted, whose errors the sequence catches, like an attempt of a
/// retry. When a member that can be compensated has completed, its compensation is recorded with the nearest sequence
/// around it, in one program that runs the newest compensation first. A sequence that is cancelled becomes a cancelled
/// `finally` with that program as its cleanup. So does a cancelled member whose body turns out to have completed in
/// another store, with its own compensation.
extension Machine {
  /// Begins the next member of a sequence, or ends the sequence.
  mutating func continueSequence(_ slot: FiberSlot, _ pass: inout Pass<P>) -> Progress {
    guard case .sequencing = fibers[slot].activity, fibers[slot].pending == 0 else { return .leftOff }
    if fibers[slot].flags.contains(.endsEarly) || fibers[slot].rare?.failure != nil {
      releaseBacklog(of: slot)
      return undo(slot, &pass)
    }
    guard let member = fibers[slot].rare?.backlog.popFirst() else {
      if let undo = fibers[slot].rare?.undo.take() { record(undo, from: slot) }
      makeReady(slot)
      return .leftOff
    }
    // A change of the state neither waits nor fails, and needs no fiber.
    if mayCommit, !isTraced, member.count == 1, member.commits(from: 0, to: 1) == 1 {
      pass.directives.append(.commit(id(of: slot), Site(program: member, index: 0), count: 1))
      released.append(member)
      schedule(slot)
      return .leftOff
    }
    let child = beginChild(running: member, of: slot, boundary: true, &pass)
    catchErrors(of: child, in: slot)
    return .leftOff
  }

  private mutating func undo(_ slot: FiberSlot, _ pass: inout Pass<P>) -> Progress {
    if let failure = fibers[slot].rare?.failure, !catcherPastCompensations(of: slot).exists {
      // The errors of compensations are not the outcome of the tree.
      noteFailure(failure, ofTreeOf: slot)
    }
    fibers[slot].activity = .undoing
    guard let undo = fibers[slot].rare?.undo.take() else { return endSequence(slot, &pass) }
    start(cleanup: undo, on: makeChild(of: slot, attached: true, &pass))
    return .leftOff
  }

  /// Ends a sequence whose completed members are undone: it fails with the error, or goes on if a member was cancelled.
  mutating func endSequence(_ slot: FiberSlot, _ pass: inout Pass<P>) -> Progress {
    guard fibers[slot].pending == 0 else { return .leftOff }
    fibers[slot].activity = .ready
    if let failure = fibers[slot].rare?.failure.take() {
      releasedFailures.append(failure)
      fail(slot, failure, &pass)
      return .leftOff
    }
    let isAll = !fibers[slot].parent.exists || fibers[slot].flags.contains(.standsForRoot)
    if isAll, fibers[slot].flags.contains(.sequencesAll), !hasMoreToDo(slot) {
      fibers[fibers[slot].root].flags.insert(.endsCancelled)
    }
    makeReady(slot)
    return .leftOff
  }

  // MARK: Compensations

  mutating func beginCompensated(_ body: consuming P, by undo: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard nearestSequence(around: slot).exists else {
      released.append(undo)
      return push(body, on: slot)
    }
    fibers[slot].activity = .compensating(by: undo)
    let child = beginChild(running: body, of: slot, &pass)
    // Errors pass through this fiber, so that it knows of them.
    fibers[child].catcher = slot
  }

  mutating func endCompensated(_ slot: FiberSlot, _ undo: P?) {
    if let undo {
      if fibers[slot].flags.contains(.endsEarly), !mayUndo(slot) {
        released.append(undo)
      } else {
        record(undo, from: slot)
      }
    }
    // The next effect of the list is counted anew.
    if let rare = fibers[slot].rare { (rare.mayBeComplete, rare.completeMembers) = (false, 0) }
    makeReady(slot)
  }

  /// Notes that an error leaves the body of the compensated effect `slot`.
  ///
  /// - Returns: the catcher outside.
  mutating func letPass(by slot: FiberSlot) -> FiberSlot {
    if case .compensating(let undo?) = fibers[slot].activity { released.append(undo) }
    fibers[slot].activity = .compensating(by: nil)
    return fibers[slot].catcher
  }

  // MARK: Members that are complete when a cancel reaches them

  /// Notes that a fiber which a cancel reaches is complete, or is a lift that may have completed in the other store.
  ///
  /// Then the members that are complete with it have to be undone. The whole tree may have completed, too, which
  /// another store may have lifted as a member.
  ///
  /// Called while fibers are marked, which still have all that they had to do.
  mutating func noteCompletion(of slot: FiberSlot) {
    var current = slot
    while fibers[current].parent.exists {
      guard fibers[current].flags.contains(.attached) else { return }
      current = fibers[current].parent
      if endsWithChild(current) { continue }
      let isCancelled = fibers[current].flags.contains(.cancelled)
      var isMember = false
      if case .compensating = fibers[current].activity { isMember = true }
      guard isMember || isCancelled && isDoneWithChildren(current) else { return }
      let rare = fibers.makeRare(of: current)
      // All that it waits for has to be such a lift; of a race's entrants one is enough.
      if case .racing = fibers[current].activity {
        rare.completeMembers += 1
        guard rare.completeMembers == 1 else { return }
      } else {
        if rare.completeMembers == 0 { rare.completeMembers = membersCancelledBefore(of: current) }
        rare.completeMembers += 1
        guard rare.completeMembers == fibers[current].pending else { return }
      }
      if isMember { rare.mayBeComplete = true }
      if !isCancelled || hasMoreToDo(current) { return }
    }
    if fibers[current].flags.contains(.cancelled) { fibers.makeRare(of: current).mayBeComplete = true }
  }

  /// Returns whether a fiber has only to step once more, in a pass that has given up the lock, until it ends.
  ///
  /// A lift that it has waited for has ended in the meantime.
  func isBeforeItsEnd(_ slot: FiberSlot) -> Bool {
    guard fibers[slot].flags.contains(.onReadyStack), fibers[slot].pending == 0 else { return false }
    switch fibers[slot].activity {
    case .racing(_, _, let winner) where winner.exists: return !hasMoreToDo(slot)
    case .merging, .ready: return isDoneWithChildren(slot)
    default: return false
    }
  }

  /// Forgets what a lift would have completed that has not completed itself.
  mutating func forgetCompletion(with slot: FiberSlot) {
    var current = slot
    fibers[current].rare?.mayBeComplete = false
    while fibers[current].flags.contains(.attached) {
      let isTop = fibers[current].cancelledTarget == current
      current = fibers[current].parent
      while isTop, endsWithChild(current), fibers[current].flags.contains(.attached) {
        current = fibers[current].parent
      }
      // The end of what an identifier has cancelled concerns its own member alone.
      if isTop { guard case .compensating = fibers[current].activity else { return } }
      guard let rare = fibers[current].rare, rare.completeMembers > 0 else { return }
      if case .racing = fibers[current].activity, rare.completeMembers > 1 {
        rare.completeMembers -= 1
        return
      }
      (rare.mayBeComplete, rare.completeMembers) = (false, .min)
    }
  }

  /// Returns whether a live fiber has only to wait for one child, which an identifier has cancelled, until it ends.
  private func endsWithChild(_ slot: FiberSlot) -> Bool {
    guard case .waiting = fibers[slot].activity, !fibers[slot].flags.contains(.cancelled) else { return false }
    return fibers[slot].pending == 1 && !hasMoreToDo(slot)
  }

  /// Returns whether a fiber has completed once those that it waits for have.
  private func isDoneWithChildren(_ slot: FiberSlot) -> Bool {
    guard !hasMoreToDo(slot), !fibers[slot].flags.contains(.endsEarly) else { return false }
    return switch fibers[slot].activity {
    case .ready, .waiting, .bounding, .retrying: true
    case .racing(_, _, let winner): !winner.exists
    // A cancelled sequence with something to undo is finalizing.
    case .merging(nil, _, _), .sequencing, .finalizing: fibers[slot].rare?.backlog.isEmpty ?? true
    default: false
    }
  }

  /// Returns the number of members that an earlier cancel has reached, which the fiber has only to wait for.
  private func membersCancelledBefore(of slot: FiberSlot) -> Int32 {
    guard fibers[slot].pending > 1 else { return 0 }
    var (count, child): (Int32, FiberSlot) = (0, fibers[slot].firstChild)
    while child.exists {
      let isTop = fibers[child].flags.isSuperset(of: [.attached, .cancelled]) && fibers[child].cancelledTarget == child
      if isTop { count += 1 }
      child = fibers[child].next
    }
    return count
  }

  /// Returns whether the body of a member that a cancel has reached, or a whole cancelled tree, has completed in other
  /// stores, or still may.
  func mayUndo(_ slot: FiberSlot) -> Bool {
    fibers[slot].rare?.mayBeComplete == true && !fibers[slot].flags.contains(.abandoned)
  }

  // MARK: Records

  /// Records a compensation with the nearest sequence around the fiber.
  private mutating func record(_ undo: P, from slot: FiberSlot) {
    let sequence = nearestSequence(around: slot)
    guard sequence.exists else { return released.append(undo) }
    let rare = fibers.makeRare(of: sequence)
    rare.undo = rare.undo.map { P.undo(undo, then: $0) } ?? undo
  }

  /// Returns the nearest sequence around the fiber, or none if nobody waits for the fiber or it is in a cleanup.
  private mutating func nearestSequence(around slot: FiberSlot) -> FiberSlot {
    if fibers[slot].flags.contains(.passesAttempts) { return .none }
    let start = outerCatcher(of: slot)
    var current = start
    var length = 0
    while current.exists, !isSequencing(current) {
      if fibers[current].flags.contains(.passesAttempts) { return .none }
      let shortcut = fibers[current].rare?.sequenceShortcut ?? .none
      // A shortcut to a sequence that has ended since does not count.
      current = if shortcut.exists, isSequencing(shortcut) { shortcut } else { outerCatcher(of: current) }
      length += 1
    }
    guard current.exists, length > Self.shortPath else { return current }
    var passed = start
    while passed != current {
      let isKnown = fibers[passed].rare?.sequenceShortcut == current
      fibers.makeRare(of: passed).sequenceShortcut = current
      passed = isKnown ? current : outerCatcher(of: passed)
    }
    return current
  }

  private func isSequencing(_ slot: FiberSlot) -> Bool {
    if case .sequencing = fibers[slot].activity { return true }
    return false
  }

  private func catcherPastCompensations(of slot: FiberSlot) -> FiberSlot {
    var catcher = fibers[slot].catcher
    while catcher.exists, case .compensating = fibers[catcher].activity { catcher = fibers[catcher].catcher }
    return catcher
  }
}
