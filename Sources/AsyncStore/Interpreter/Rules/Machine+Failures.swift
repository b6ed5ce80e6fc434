/// Errors, and their way to the handler, retry, race or sequence that takes them.
///
/// Law 12. Events: `operationFailed`, `handled`. Activities: `handling`, `ready`.
extension Machine {
  // MARK: Events

  /// Handles the error of an operation.
  mutating func operationFailed(_ id: FiberID, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    let id = self.id(of: unfold(id.slot, &pass))
    traceEnd(of: id.slot, .failed(failure), &pass)
    fibers[id.slot].activity = .ready
    if isRetrying(id.slot), !fibers[id.slot].flags.contains(.cancelled) {
      fibers[id.slot].rare?.pointee.retry.failure = failure
      endAttempt(of: id.slot, &pass)
    } else {
      failOrFailLate(id.slot, failure, &pass)
    }
    step(&pass)
  }

  /// Continues with the effect that an error handler returned, which takes the failed effect's place.
  mutating func handled(_ id: FiberID, _ program: P?, _ pass: inout Pass<P>) {
    guard isAlive(id), case .handling(let catcher, let late) = fibers[id.slot].activity else { return }
    let slot = id.slot
    fibers[slot].activity = .ready
    var outer = catcher.exists ? fibers[catcher].rare?.pointee.recovery?.outer ?? .none : .none
    if late {
      // The handler itself and those around it may have been cancelled since.
      outer = livingRecovery(above: outer)
    } else if fibers[slot].flags.contains(.passesAttempts) {
      outer = nearestRecovery(from: outer)
    }
    if fibers[slot].flags.contains(.cancelled) {
      if late, let program { adopt(program, from: slot, catcher: outer, &pass) }
      settleIfIdle(slot, &pass)
    } else {
      if let program { takeFailedPlace(slot, program, handledBy: catcher, outer: outer, &pass) }
      makeReady(slot)
    }
    step(&pass)
  }

  /// Puts the effect of a handler in the failed effect's place.
  ///
  /// Errors of the new effect bypass that handler.
  private mutating func takeFailedPlace(
    _ slot: FiberSlot, _ program: P, handledBy catcher: FiberSlot, outer: FiberSlot, _ pass: inout Pass<P>
  ) {
    if !catcher.exists || !hasMoreToDo(slot) {
      fibers[slot].catcher = outer
      // Paths to recoveries lead through the fiber.
      pathVersion &+= 1
      push(program, on: slot)
    } else {
      let child = beginChild(running: program, of: slot, &pass)
      fibers[child].catcher = outer
    }
  }

  // MARK: The routing of errors

  private mutating func failOrFailLate(_ slot: FiberSlot, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard fibers[slot].flags.contains(.cancelled) else { return fail(slot, failure, &pass) }
    // The error that reports the cancel is not a failure that a recovery handles.
    let mayRecover = !P.isCancellation(failure)
    if !failLate(slot, failure, mayRecover: mayRecover, &pass) { settleIfIdle(slot, &pass) }
  }

  /// Handles an error of a cancelled fiber.
  ///
  /// - Returns: false if nothing handles the error, so that the fiber settles.
  mutating func failLate(_ slot: FiberSlot, _ failure: P.Failure, mayRecover: Bool, _ pass: inout Pass<P>) -> Bool {
    let catcher: FiberSlot = mayRecover ? livingRecovery(above: fibers[slot].catcher) : .none
    guard catcher.exists || options.mapsErrors else {
      trace(.failed(failure), as: .failed, of: slot, &pass)
      return false
    }
    fibers[slot].activity = .handling(catcher: catcher, late: true)
    pass.directives.append(
      .handle(id(of: slot), by: catcher.exists ? fibers[catcher].rare?.pointee.recovery?.handler : nil, failure))
    return true
  }

  /// Handles the failure of a live fiber's current effect.
  mutating func fail(_ slot: FiberSlot, _ failure: P.Failure, _ pass: inout Pass<P>) {
    var catcher = fibers[slot].catcher
    var passed = 0
    while catcher.exists, case .compensating = fibers[catcher].activity {
      catcher = letPass(by: catcher)
      passed += 1
    }
    pass.charge(passed)
    // The catcher of a cleanup may itself have been cancelled.
    if catcher.exists, fibers[catcher].flags.contains(.cancelled) { catcher = livingRecovery(above: catcher) }
    guard catcher.exists else {
      noteFailure(failure, ofTreeOf: slot, &pass)
      if !fibers[slot].flags.contains(.passesAttempts) { fibers[fibers[slot].root].flags.insert(.hasFailed) }
      guard options.mapsErrors else {
        trace(.failed(failure), as: .failed, of: slot, &pass)
        return makeReady(slot)
      }
      fibers[slot].activity = .handling(catcher: .none, late: false)
      pass.directives.append(.handle(id(of: slot), by: nil, failure))
      return
    }
    if let recovery = fibers[catcher].rare?.pointee.recovery {
      fibers[slot].activity = .handling(catcher: catcher, late: false)
      pass.directives.append(.handle(id(of: slot), by: recovery.handler, failure))
      return
    }
    switch fibers[catcher].activity {
    case .retrying:
      // The attempt is over, even if parts of it are still running.
      if let earlier = fibers[catcher].rare?.pointee.retry.failure { released.append(failure: earlier) }
      fibers[catcher].rare?.pointee.retry.failure = failure
      cancelAttachedChildren(of: catcher, &pass)
    case .sequencing:
      setFailure(failure, of: catcher)
      releaseBacklog(of: catcher)
      cancelAttachedChildren(of: catcher, &pass)
    case .racing:
      setFailure(failure, of: catcher)
      cancelSubtree(member(containing: slot, of: catcher), &pass)
    case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .throttled, .deciding, .backingOff,
      .handling, .window, .merging, .bounding, .finalizing, .undoing, .compensating, .queued, .joining, .ticking,
      .emitting:
      preconditionFailure("an error goes to a fiber that catches none: \(fibers[catcher].activity)")
    }
  }

  private mutating func setFailure(_ failure: P.Failure, of slot: FiberSlot) {
    let rare = fibers.makeRare(of: slot)
    if let earlier = rare.pointee.failure { released.append(failure: earlier) }
    rare.pointee.failure = failure
  }

  /// Records a failure; the first one is the outcome of the tree.
  mutating func noteFailure(_ failure: P.Failure, ofTreeOf slot: FiberSlot, _ pass: inout Pass<P>) {
    let root = fibers[slot].root
    guard fibers[root].rare?.pointee.rootFailure == nil, !fibers[root].flags.contains(.settled),
      !isCleaningUp(slot, &pass)
    else { return }
    fibers.makeRare(of: root).pointee.rootFailure = failure
  }

  /// Returns whether the fiber is inside a cleanup, whose errors do not affect the tree's outcome.
  private func isCleaningUp(_ slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    var (current, length) = (slot, 0)
    defer { pass.charge(length) }
    while current.exists {
      let flags = fibers[current].flags
      if flags.contains(.isCleanup), !flags.isSuperset(of: [.cleansUpAsScope, .settled]) { return true }
      current = fibers[current].parent
      length += 1
    }
    return false
  }

  private func member(containing slot: FiberSlot, of ancestor: FiberSlot) -> FiberSlot {
    var current = slot
    while fibers[current].parent != ancestor { current = fibers[current].parent }
    return current
  }

  /// Returns the catcher for an effect that replaces `holder` and was begun by `slot` inside it.
  ///
  /// Catchers inside the holder are replaced with it. The result may lie outside the holder's own catcher, if the fiber
  /// is part of that catcher's answer.
  func catcher(of slot: FiberSlot, outside holder: FiberSlot) -> FiberSlot {
    let own = fibers[holder].catcher
    guard fibers[slot].catcher != own else { return own }
    var outside: Set<FiberSlot> = [.none]
    var current = own
    while current.exists {
      outside.insert(current)
      current = outerCatcher(of: current)
    }
    current = fibers[slot].catcher
    while !outside.contains(current) { current = outerCatcher(of: current) }
    // The catcher of a cleanup or a tick lies outside the attempts around it. An effect that replaces the holder is
    // still inside those attempts, so that only a recovery moves its catcher outwards.
    var (catcher, passed) = (own, own)
    while passed != current {
      let outer = outerCatcher(of: passed)
      if fibers[passed].flags.contains(.recovers) { catcher = outer }
      passed = outer
    }
    return catcher
  }

  func outerCatcher(of catcher: FiberSlot) -> FiberSlot {
    fibers[catcher].rare?.pointee.recovery?.outer ?? fibers[catcher].catcher
  }

  /// Returns the nearest recovery from `catcher` upwards, skipping retries, races and sequences.
  mutating func nearestRecovery(from catcher: FiberSlot) -> FiberSlot {
    var current = catcher
    var length = 0
    while current.exists, !fibers[current].flags.contains(.recovers) {
      current = recoveryShortcut(from: current) ?? fibers[current].catcher
      length += 1
    }
    guard length > Self.shortPath else { return current }
    var passed = catcher
    while passed != current {
      let next = recoveryShortcut(from: passed) ?? fibers[passed].catcher
      fibers.makeRare(of: passed).pointee.recoveryShortcut = .init(target: current, pathVersion: pathVersion)
      passed = next
    }
    return current
  }

  private func recoveryShortcut(from slot: FiberSlot) -> FiberSlot? {
    guard let shortcut = fibers[slot].rare?.pointee.recoveryShortcut, shortcut.pathVersion == pathVersion else {
      return nil
    }
    return shortcut.target
  }

  /// Returns the nearest recovery above `catcher` that is not cancelled.
  ///
  /// Shortens the path past cancelled recoveries, which stay cancelled, so that cancelling nested recoveries takes
  /// linear time.
  mutating func livingRecovery(above catcher: FiberSlot) -> FiberSlot {
    var passed: [FiberSlot] = []
    var current = nearestRecovery(from: catcher)
    while current.exists, fibers[current].flags.contains(.cancelled) {
      passed.append(current)
      current = nearestRecovery(from: fibers[current].rare?.pointee.recovery?.outer ?? .none)
    }
    for recovery in passed.dropLast() { fibers[recovery].rare?.pointee.recovery?.outer = current }
    return current
  }
}
