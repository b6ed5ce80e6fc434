/// Sequences, and the compensations that undo their members.
///
/// Law 25. Events: none of its own. Activities: `sequencing`, `undoing`, `compensating`, `ready`.
///
/// Each member except a `set` runs in a fiber of its own, whose errors the sequence catches as a retry catches those of
/// an attempt. When a member with a compensation has completed, the compensation is recorded with the nearest sequence
/// around it, in one program that runs the newest compensation first. A cancelled sequence becomes a cancelled
/// `finally` with that program as its cleanup. So does a cancelled member whose body turns out to have completed in
/// another store, with its own compensation.
extension Machine {
  /// - Parameter isFirst: true if the fiber has run nothing before.
  mutating func beginSequence(_ members: consuming P, isFirst: Bool, _ slot: FiberSlot) {
    fibers[slot].releaseEffect(to: &released)
    fibers.makeRare(of: slot).pointee.queue(members)
    fibers[slot].activity = .sequencing
    if isFirst { fibers[slot].flags.insert(.sequencesAll) } else { fibers[slot].flags.remove(.sequencesAll) }
  }

  /// Begins the next member of a sequence, or ends the sequence.
  mutating func continueSequence(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard case .sequencing = fibers[slot].activity, fibers[slot].pending == 0 else { return }
    if fibers[slot].flags.contains(.endsEarly) || fibers[slot].rare?.pointee.failure != nil {
      if let rare = fibers[slot].rare,
        rare.pointee.failure != nil || rare.pointee.undo != nil || rare.pointee.hasBacklog
      {
        fibers[slot].completion = []
      }
      releaseBacklog(of: slot)
      return undo(slot, &pass)
    }
    guard divideMembers(of: slot, &pass) else { return schedule(slot) }
    guard let member = fibers[slot].rare?.pointee.backlog.popFirst() else {
      if let undo = fibers[slot].rare?.pointee.undo.take() { recordCompensation(undo, from: slot) }
      return makeReady(slot)
    }
    // A change of the state neither waits nor fails, and so needs no fiber.
    if pass.mayCommit, member.count == 1, member.commits(from: 0, to: 1) == 1 {
      let site = Site(program: member, index: 0)
      pass.directives.append(.commit(id(of: slot), site, count: 1))
      traceCommits(1, of: slot, site, &pass)
      released.append(member)
      return schedule(slot)
    }
    let child = beginChild(running: member, of: slot, boundary: true, &pass)
    catchErrors(of: child, in: slot)
  }

  private mutating func undo(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    if let failure = fibers[slot].rare?.pointee.failure, !catcherPastCompensations(of: slot).exists {
      // Errors of compensations are not the outcome of the tree.
      noteFailure(failure, ofTreeOf: slot, &pass)
    }
    fibers[slot].activity = .undoing
    guard let undo = fibers[slot].rare?.pointee.undo.take() else { return endSequence(slot, &pass) }
    start(cleanup: undo, on: makeChild(of: slot, attached: true, &pass))
  }

  /// Ends a sequence whose completed members have been undone: it fails with the error, or continues if a member was
  /// cancelled.
  mutating func endSequence(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard fibers[slot].pending == 0 else { return }
    fibers[slot].activity = .ready
    if let failure = fibers[slot].rare?.pointee.failure.take() {
      released.append(failure: failure)
      return fail(slot, failure, &pass)
    }
    let isAll = !fibers[slot].parent.exists || fibers[slot].flags.contains(.standsForRoot)
    if isAll, fibers[slot].flags.contains(.sequencesAll), !hasMoreToDo(slot) {
      fibers[fibers[slot].root].flags.insert(.endsCancelled)
    }
    makeReady(slot)
  }

  // MARK: Compensations

  mutating func beginCompensated(
    _ body: consuming P, by undo: consuming P, _ slot: FiberSlot, _ pass: inout Pass<P>
  ) -> Progress {
    let canBeUndone = nearestSequence(around: slot).exists
    if canBeUndone, mayFold(body, into: .compensation, pass) { return beginFolded(body, slot, &pass) }
    fibers[slot].releaseEffect(to: &released)
    guard canBeUndone else {
      released.append(undo)
      push(body, on: slot)
      return .continues
    }
    fibers[slot].activity = .compensating(by: undo)
    let child = beginChild(running: body, of: slot, &pass)
    // Errors pass through this fiber, so that it sees them.
    fibers[child].catcher = slot
    return .continues
  }

  mutating func endCompensated(_ slot: FiberSlot, _ undo: consuming P?) {
    if let undo {
      if hasCompleted(slot) { recordCompensation(undo, from: slot) } else { released.append(undo) }
    }
    makeReady(slot)
  }

  /// Records that an error leaves the body of the compensated effect `slot`.
  ///
  /// - Returns: the catcher outside the effect.
  mutating func letPass(by slot: FiberSlot) -> FiberSlot {
    if case .compensating(let undo?) = fibers[slot].activity { released.append(undo) }
    fibers[slot].activity = .compensating(by: nil)
    return fibers[slot].catcher
  }

  // MARK: Records

  /// Records a compensation with the nearest sequence around the fiber.
  mutating func recordCompensation(_ undo: consuming P, from slot: FiberSlot) {
    let sequence = nearestSequence(around: slot)
    guard sequence.exists else { return released.append(undo) }
    let rare = fibers.makeRare(of: sequence)
    let older = rare.pointee.undo.take()
    rare.pointee.undo = if let older { P.undo(undo, then: older) } else { undo }
  }

  /// Returns the nearest sequence around the fiber; none if nothing waits for the fiber, or if the fiber is in a
  /// cleanup.
  private mutating func nearestSequence(around slot: FiberSlot) -> FiberSlot {
    if fibers[slot].flags.contains(.passesAttempts) { return .none }
    let start = outerCatcher(of: slot)
    var current = start
    var length = 0
    while current.exists, !isSequencing(current) {
      if fibers[current].flags.contains(.passesAttempts) { return .none }
      let shortcut = fibers[current].rare?.pointee.sequenceShortcut ?? .none
      // A shortcut to a sequence that has since ended does not count.
      current = if shortcut.exists, isSequencing(shortcut) { shortcut } else { outerCatcher(of: current) }
      length += 1
    }
    guard current.exists, length > Self.shortPath else { return current }
    var passed = start
    while passed != current {
      let isKnown = fibers[passed].rare?.pointee.sequenceShortcut == current
      fibers.makeRare(of: passed).pointee.sequenceShortcut = current
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
