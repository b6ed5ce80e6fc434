/// The cleanups that cancelled fibers leave behind: the effects of mapped errors and of `finally`.
///
/// Laws 8, 12, 19 and 25. Events: none of its own. Activities: `finalizing`, `waiting`.
///
/// A cleanup is not under the cancelled identifier, so it runs in a fiber of its own in the nearest enclosing scope
/// that is still alive. The cancelled fiber, called the cleanup's origin, stays until the cleanup has settled, and so
/// do the scopes around the origin. Until then, effects that join these scopes, queue behind them or wait for their
/// cleanup see them in flight. The cleanup of a `finally` around a cancelled one begins after the inner cleanup, as it
/// does without a cancel: the inner cleanup is a child of the outer one.
extension Machine {
  /// Begins a cleanup in a fiber of its own, which a cancel around it spares.
  ///
  /// Errors of the cleanup bypass retries, races and sequences, and its end is not the end of its effect.
  mutating func start(cleanup program: P, on slot: FiberSlot) {
    fibers[slot].catcher = livingRecovery(above: fibers[slot].catcher)
    fibers[slot].flags.formUnion([.passesAttempts, .endIsIgnored, .isCleanup])
    push(program, on: slot)
    makeReady(slot)
  }

  /// Begins `program` in the place of the cancelled fiber `slot`.
  mutating func adopt(_ program: P, from slot: FiberSlot, catcher: FiberSlot, _ pass: inout Pass<P>) {
    guard !fibers[slot].flags.contains(.abandoned) else { return released.append(program) }
    let cleanup = makeCleanup(for: slot, &pass)
    fibers[cleanup].catcher = catcher
    push(program, on: cleanup)
    makeReady(cleanup)
  }

  /// Begins the cleanup of a cancelled `finally` or compensated effect whose body has ended, once the cleanups inside
  /// the body have ended too.
  ///
  /// - Parameter program: the cleanup, or `nil` if it may no longer run.
  mutating func runCleanup(_ program: P?, ofCancelled slot: FiberSlot, _ pass: inout Pass<P>) {
    guard let cleanup = fibers[slot].cleanup else { return leaveCleanup(program, of: slot, &pass) }
    fibers[slot].rare?.pointee.cleanup = .none
    fibers[cleanup].pending -= 1
    let isReady = fibers[cleanup].pending == 0
    if fibers[cleanup].flags.contains(.cancelled) {
      if let program { released.append(program) }
      if isReady { settleIfIdle(cleanup, &pass) }
    } else if isReady {
      if let program { push(program, on: cleanup) }
      makeReady(cleanup)
    } else {
      fibers[cleanup].activity = program.map { .finalizing(cleanup: $0) } ?? .waiting
    }
  }

  /// Runs the compensation of a cancelled effect if its body has completed in another store, and then, in any case, the
  /// compensations that its body handed to it.
  mutating func undo(_ own: P?, ofCancelled slot: FiberSlot, _ pass: inout Pass<P>) {
    let inner = fibers[slot].rare?.pointee.undo.take()
    var program = inner
    if let own {
      if hasCompleted(slot) { program = inner.map { P.undo(own, then: $0) } ?? own } else { released.append(own) }
    }
    if let left = program, leaveUndo(left, ofCancelled: slot, isSequence: false) { program = nil }
    runCleanup(program, ofCancelled: slot, &pass)
  }

  /// Hands the compensations of a cancelled effect to the nearest enclosing compensated effect, which is undone before
  /// them, or to the sequence that contains the cancelled member, whose other members are undone after it.
  ///
  /// - Parameter isSequence: true if the compensations belong to a sequence, false if they belong to a member.
  /// - Returns: false if the caller has to run them.
  mutating func leaveUndo(_ program: P, ofCancelled slot: FiberSlot, isSequence: Bool) -> Bool {
    guard !fibers[slot].flags.contains(.abandoned) else { return false }
    var current = slot
    // The search is short, because each of many nested sequences would otherwise look through all sequences around it.
    for _ in 0..<Self.shortPath {
      guard case .cleanup(let outer) = place(ofCleanupOf: current) else { return false }
      switch fibers[outer].activity {
      case .compensating:
        let rare = fibers.makeRare(of: outer)
        // Compensations handed over earlier come from further inside, and so are newer.
        rare.pointee.undo = rare.pointee.undo.map { P.undo($0, then: program) } ?? program
        return true
      case .finalizing(let others?) where !isSequence && fibers[outer].rare?.pointee.undoesMembers == true:
        fibers[outer].activity = .finalizing(cleanup: P.undo(program, then: others))
        return true
      case .ready, .evaluating, .operating, .sleeping, .waiting, .turn, .retrying, .deciding, .backingOff, .window,
        .folded, .handling, .throttled, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .queued,
        .joining, .ticking, .emitting:
        current = outer
      }
    }
    return false
  }

  private mutating func leaveCleanup(_ program: P?, of slot: FiberSlot, _ pass: inout Pass<P>) {
    guard let program else { return }
    guard !fibers[slot].flags.contains(.abandoned) else { return released.append(program) }
    let cleanup = makeCleanup(for: slot, &pass)
    fibers[cleanup].catcher = fibers[slot].catcher
    start(cleanup: program, on: cleanup)
  }

  /// Ends a settled cleanup, so that the fiber that stayed for it may go.
  ///
  /// A cleanup that was itself cancelled is over only when its fiber is freed, because it may have left a cleanup
  /// behind too.
  mutating func endCleanup(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard let origin = takeOrigin(of: slot) else { return }
    freeSettled(origin, &pass)
  }

  /// - Returns: the cancelled fiber that stayed for this cleanup until now; `nil` if it stays for another cleanup.
  mutating func takeOrigin(of slot: FiberSlot) -> FiberSlot? {
    guard let origin = fibers[slot].origin else { return nil }
    fibers[slot].rare?.pointee.origin = .none
    counts.ownedCleanups -= 1
    if !fibers[slot].parent.exists { counts.treeCleanups -= 1 }
    let rare = fibers.makeRare(of: origin)
    rare.pointee.cleanupCount -= 1
    guard rare.pointee.cleanupCount == 0 else { return nil }
    fibers[origin].flags.remove(.leavesCleanup)
    return origin
  }

  /// Makes the cancelled fiber `origin` stay for a cleanup, possibly one of several.
  mutating func setOrigin(_ origin: FiberSlot, of cleanup: FiberSlot) {
    fibers[origin].flags.insert(.leavesCleanup)
    fibers.makeRare(of: origin).pointee.cleanupCount += 1
    fibers.makeRare(of: cleanup).pointee.origin = origin
    counts.ownedCleanups += 1
    if !fibers[cleanup].parent.exists { noteCleanupRoot(cleanup) }
  }

  private mutating func noteCleanupRoot(_ cleanup: FiberSlot) {
    counts.treeCleanups += 1
    let rare = fibers.makeRare(of: mainRoot(of: cleanup))
    var roots = rare.pointee.cleanupRoots.take() ?? []
    // Roots that are gone are removed only when the array is full, so that many cleanups take linear time.
    if roots.count == roots.capacity { roots.removeAll { !isAlive($0) } }
    roots.append(id(of: cleanup))
    rare.pointee.cleanupRoots = roots
  }

  /// Returns whether the fiber is part of something that a cancelled holder of the registration has left behind.
  func isLeftBehind(_ slot: FiberSlot, by registration: RegistrationSlot) -> Bool {
    guard registry[registration].cleaningUp > 0 else { return false }
    var current = slot
    var (isLeftBehind, isSpared) = (false, false)
    while current.exists {
      let flags = fibers[current].flags
      let isCleanup = (isLeftBehind || isSpared) && flags.contains(.cancelled)
      if isCleanup, fibers[current].registration == registration { return true }
      isSpared = isSpared || flags.contains(.isCleanup)
      if let origin = fibers[current].origin {
        current = origin
        isLeftBehind = true
      } else {
        current = fibers[current].parent
      }
    }
    return false
  }

  // MARK: Places

  private enum CleanupParent {
    /// Below the cleanup of this `finally` or compensated effect, which waits for the new cleanup.
    case cleanup(of: FiberSlot)
    case fiber(FiberSlot, isAttached: Bool)
    /// Outside the tree, because the whole tree was cancelled; the value is its context.
    case outside(P.Context?)
  }

  private mutating func makeCleanup(for slot: FiberSlot, _ pass: inout Pass<P>) -> FiberSlot {
    var place = place(ofCleanupOf: slot)
    var waiting: [FiberSlot] = []
    while case .cleanup(let outer) = place, fibers[outer].cleanup == nil {
      waiting.append(outer)
      place = self.place(ofCleanupOf: outer)
    }
    for outer in waiting.reversed() {
      let cleanup = makeCleanup(for: outer, at: place, &pass)
      // The undo of a compensated effect is added later, once it is known to be needed.
      if case .finalizing = fibers[outer].activity {
        fibers[cleanup].activity = fibers[outer].activity
      } else {
        fibers[cleanup].activity = .finalizing(cleanup: nil)
      }
      fibers[cleanup].catcher = livingRecovery(above: fibers[outer].catcher)
      fibers[cleanup].flags.insert(.isCleanup)
      // The outer cleanup waits for the cancelled fiber as for a child.
      fibers[cleanup].pending += 1
      fibers.makeRare(of: outer).pointee.cleanup = cleanup
      place = .cleanup(of: outer)
    }
    return makeCleanup(for: slot, at: place, &pass)
  }

  private mutating func makeCleanup(for slot: FiberSlot, at place: CleanupParent, _ pass: inout Pass<P>) -> FiberSlot {
    let cleanup: FiberSlot
    switch place {
    case .cleanup(let outer):
      guard let parent = fibers[outer].cleanup else { preconditionFailure("fiber \(outer) has no cleanup") }
      cleanup = makeChild(of: parent, attached: true, boundary: true, &pass)
    case .fiber(let parent, let isAttached):
      cleanup = makeChild(of: parent, attached: isAttached, boundary: true, &pass)
    case .outside(let context):
      cleanup = makeRoot(context: context, &pass)
      fibers[cleanup].flags.insert(.silent)
      if let context { pass.directives.append(.addRoot(context)) }
    }
    fibers[cleanup].flags.formUnion([.lingers, .passesAttempts, .endIsIgnored])
    setOrigin(slot, of: cleanup)
    return cleanup
  }

  /// Finds the place for a cleanup outside the cancelled fibers.
  ///
  /// The search climbs from one `finally`, compensated effect or cancel to the next, and not fiber by fiber. It passes
  /// a compensated effect that is not undone only once.
  private mutating func place(ofCleanupOf slot: FiberSlot) -> CleanupParent {
    var current = slot
    var isAttached = true
    var passed: [FiberSlot] = []
    // The outermost fiber that everything below is attached to.
    var end = slot
    defer { for slot in passed where slot != end { fibers[slot].cancelledTarget = end } }
    while true {
      let target = fibers[current].cancelledTarget
      // The top of a cancel keeps itself as its target.
      if isAttached, case .compensating = fibers[current].activity, current != slot, target != current {
        passed.append(current)
      }
      if target != current {
        isAttached = isAttached && fibers[current].flags.contains(.attachedToTarget)
        current = target
        if isAttached { end = current }
      } else {
        isAttached = isAttached && fibers[current].flags.contains(.attached)
        let parent = fibers[current].parent
        guard parent.exists else { return .outside(fibers[current].context) }
        // The fibers around it may have been cancelled at another time.
        guard fibers[parent].flags.contains(.cancelled) else {
          return .fiber(isAttached ? parent : fibers[parent].boundary, isAttached: isAttached)
        }
        current = parent
        if isAttached { end = current }
      }
      if isAttached, waitsForBody(current) { return .cleanup(of: current) }
    }
  }

  private func waitsForBody(_ slot: FiberSlot) -> Bool {
    guard !fibers[slot].flags.contains(.settled) else { return false }
    return switch fibers[slot].activity {
    case .finalizing: true
    // Compensations handed to it come after the cleanups inside it, too.
    case .compensating(let own): own != nil && mayHaveCompleted(slot) || fibers[slot].rare?.pointee.undo != nil
    case .ready, .evaluating, .operating, .sleeping, .waiting, .turn, .retrying, .deciding, .backingOff, .window,
      .folded, .handling, .throttled, .merging, .racing, .bounding, .sequencing, .undoing, .queued, .joining,
      .ticking, .emitting:
      false
    }
  }

  /// Returns whether cleanups in the body of this fiber may have to wait for it, or it for them.
  func mayWaitForBody(_ slot: FiberSlot) -> Bool {
    guard !fibers[slot].flags.contains(.settled) else { return false }
    return switch fibers[slot].activity {
    case .finalizing, .compensating: true
    case .ready, .evaluating, .operating, .sleeping, .waiting, .turn, .retrying, .deciding, .backingOff, .window,
      .folded, .handling, .throttled, .merging, .racing, .bounding, .sequencing, .undoing, .queued, .joining,
      .ticking, .emitting:
      false
    }
  }
}
