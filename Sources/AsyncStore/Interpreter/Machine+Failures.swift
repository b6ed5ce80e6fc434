extension Machine {
  // MARK: Events

  /// An operation has thrown.
  mutating func operationFailed(_ id: StrandID, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    traceEnd(of: id.slot, .failed(failure), &pass)
    strands[Int(id.slot)].activity = .ready
    if !retries.isEmpty, retries[id.slot] != nil, !strands[Int(id.slot)].flags.contains(.cancelled) {
      retries[id.slot]?.failure = failure
      endAttempt(of: id.slot, &pass)
    } else {
      failOrFailLate(id.slot, failure, &pass)
    }
    step(&pass)
  }

  /// An error handler has answered with the effect that takes the failed effect's place.
  mutating func handled(_ id: StrandID, _ program: P?, _ pass: inout Pass<P>) {
    guard isAlive(id), case .handling(let catcher, let late) = strands[Int(id.slot)].activity else { return }
    let slot = id.slot
    strands[Int(slot)].activity = .ready
    var outer = catcher < 0 ? -1 : recoveries[catcher]?.outer ?? -1
    if late {
      // The handler itself may have been cancelled since, and those around it.
      outer = livingRecovery(above: outer)
    } else if strands[Int(slot)].flags.contains(.passesAttempts) {
      outer = nearestRecovery(from: outer)
    }
    if strands[Int(slot)].flags.contains(.cancelled) {
      if late, let program { adopt(program, from: slot, catcher: outer, &pass) }
      settleIfIdle(slot, &pass)
    } else {
      if let program { takeFailedPlace(slot, program, handledBy: catcher, outer: outer, &pass) }
      makeReady(slot)
    }
    step(&pass)
  }

  /// What a handler answers fails past that handler.
  private mutating func takeFailedPlace(
    _ slot: Int32, _ program: P, handledBy catcher: Int32, outer: Int32, _ pass: inout Pass<P>
  ) {
    if catcher < 0 || !hasMoreToDo(slot) {
      strands[Int(slot)].catcher = outer
      // Paths lead through the strand.
      recoveryShortcuts = SparseColumn()
      push(program, on: slot)
    } else {
      let child = makeChild(of: slot, attached: true, &pass)
      strands[Int(child)].catcher = outer
      push(program, on: child)
      makeReady(child)
    }
  }

  // MARK: Where an error goes

  mutating func failOrFailLate(_ slot: Int32, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard strands[Int(slot)].flags.contains(.cancelled) else { return fail(slot, failure, &pass) }
    let catcher = livingRecovery(above: strands[Int(slot)].catcher)
    guard catcher >= 0 || mapsErrors else {
      traceFailure(of: slot, failure, &pass)
      return settleIfIdle(slot, &pass)
    }
    strands[Int(slot)].activity = .handling(catcher: catcher, late: true)
    pass.directives.append(.handle(id(of: slot), by: catcher < 0 ? nil : recoveries[catcher]!.site, failure))
  }

  /// The effect at which a live strand stands has failed.
  mutating func fail(_ slot: Int32, _ failure: P.Failure, _ pass: inout Pass<P>) {
    var catcher = strands[Int(slot)].catcher
    while catcher >= 0, case .compensating = strands[Int(catcher)].activity { catcher = letPass(by: catcher) }
    // The catcher of a clean-up may have been cancelled around it.
    if catcher >= 0, strands[Int(catcher)].flags.contains(.cancelled) { catcher = livingRecovery(above: catcher) }
    guard catcher >= 0 else {
      noteFailure(failure, ofTreeOf: slot)
      guard mapsErrors else {
        traceFailure(of: slot, failure, &pass)
        return makeReady(slot)
      }
      strands[Int(slot)].activity = .handling(catcher: -1, late: false)
      pass.directives.append(.handle(id(of: slot), by: nil, failure))
      return
    }
    if let recovery = recoveries[catcher] {
      strands[Int(slot)].activity = .handling(catcher: catcher, late: false)
      pass.directives.append(.handle(id(of: slot), by: recovery.site, failure))
    } else if case .retrying = strands[Int(catcher)].activity {
      // The attempt is over, whatever else of it is still running.
      if let earlier = retries[catcher]?.failure { releasedFailures.append(earlier) }
      retries[catcher]?.failure = failure
      cancelAttachedChildren(of: catcher, &pass)
    } else if case .sequencing = strands[Int(catcher)].activity {
      if let earlier = failures[catcher] { releasedFailures.append(earlier) }
      failures[catcher] = failure
      cancelAttachedChildren(of: catcher, &pass)
    } else {
      if let earlier = failures[catcher] { releasedFailures.append(earlier) }
      failures[catcher] = failure
      cancelSubtree(member(containing: slot, of: catcher), &pass)
    }
  }

  /// The first of them is the outcome of the tree.
  mutating func noteFailure(_ failure: P.Failure, ofTreeOf slot: Int32) {
    guard !isInsideCleanup(slot) else { return }
    let root = strands[Int(slot)].root
    if rootFailures[root] == nil, !strands[Int(root)].flags.contains(.settled) { rootFailures[root] = failure }
  }

  /// True inside a clean-up, whose errors are not its tree's outcome.
  private func isInsideCleanup(_ slot: Int32) -> Bool {
    var current = slot
    while current >= 0, strands[Int(current)].flags.contains(.passesAttempts) {
      if strands[Int(current)].flags.contains(.isCleanup) { return true }
      current = strands[Int(current)].parent
    }
    return false
  }

  private func member(containing slot: Int32, of ancestor: Int32) -> Int32 {
    var current = slot
    while strands[Int(current)].parent != ancestor { current = strands[Int(current)].parent }
    return current
  }

  /// Who catches what goes on in the place of `holder` and was begun by `slot` inside of it.
  ///
  /// What is inside of the holder goes with it; what is outside may lie beyond the holder's own catcher, where the
  /// strand is part of that one's answer.
  func catcher(of slot: Int32, outside holder: Int32) -> Int32 {
    let own = strands[Int(holder)].catcher
    guard strands[Int(slot)].catcher != own else { return own }
    var outside: Set<Int32> = [-1]
    var current = own
    while current >= 0 {
      outside.insert(current)
      current = outerCatcher(of: current)
    }
    current = strands[Int(slot)].catcher
    while !outside.contains(current) { current = outerCatcher(of: current) }
    return current
  }

  func outerCatcher(of catcher: Int32) -> Int32 { recoveries[catcher]?.outer ?? strands[Int(catcher)].catcher }

  /// The nearest recovery from `catcher` upwards, past retries, races and sequences.
  mutating func nearestRecovery(from catcher: Int32) -> Int32 {
    var current = catcher
    var length = 0
    while current >= 0, !strands[Int(current)].flags.contains(.recovers) {
      current = recoveryShortcuts[current] ?? strands[Int(current)].catcher
      length += 1
    }
    guard length > Self.shortPath else { return current }
    var passed = catcher
    while passed != current {
      let next = recoveryShortcuts[passed] ?? strands[Int(passed)].catcher
      recoveryShortcuts[passed] = current
      passed = next
    }
    return current
  }

  /// The same, past recoveries that are cancelled themselves.
  ///
  /// Shortens the path past cancelled recoveries, which stay cancelled. So a cancel of nested recoveries takes linear
  /// time.
  mutating func livingRecovery(above catcher: Int32) -> Int32 {
    var passed: [Int32] = []
    var current = nearestRecovery(from: catcher)
    while current >= 0, strands[Int(current)].flags.contains(.cancelled) {
      passed.append(current)
      current = nearestRecovery(from: recoveries[current]?.outer ?? -1)
    }
    for recovery in passed.dropLast() { recoveries[recovery]?.outer = current }
    return current
  }
}

struct Recovery<P: Program> {
  var site: Site<P>
  var outer: Int32
}
