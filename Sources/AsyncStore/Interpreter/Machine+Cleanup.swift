/// What cancelled strands leave behind: mapped errors, and what a `finally` runs.
///
/// It is not under the identifier that was cancelled, so it runs in a strand of its own in the nearest enclosing scope
/// that is still alive. The cancelled strand, its origin, stays for it, and with that one the scopes around it: to
/// those that join them, queue behind them or wait for their clean-up, they are in flight until it has settled. A
/// `finally` around a cancelled one begins after it, as it does where nothing is cancelled: the inner clean-up is a
/// child of the outer one.
extension Machine {
  /// Begins a clean-up in a strand of its own, which a cancel of what is around it leaves alone.
  ///
  /// Its errors go past retries, races and sequences, and its end is not its effect's end.
  mutating func start(cleanup program: P, on slot: Int32) {
    strands[Int(slot)].catcher = livingRecovery(above: strands[Int(slot)].catcher)
    strands[Int(slot)].flags.formUnion([.passesAttempts, .apart, .isCleanup])
    push(program, on: slot)
    makeReady(slot)
  }

  /// Begins `program` in the place of the cancelled strand `slot`.
  mutating func adopt(_ program: P, from slot: Int32, catcher: Int32, _ pass: inout Pass<P>) {
    guard !strands[Int(slot)].flags.contains(.abandoned) else { return }
    let cleanup = makeCleanup(for: slot, &pass)
    strands[Int(cleanup)].catcher = catcher
    push(program, on: cleanup)
    makeReady(cleanup)
  }

  /// A cancelled `finally` has nothing left to wait for of its body's own.
  mutating func runCleanup(_ program: P, ofCancelled slot: Int32, _ pass: inout Pass<P>) {
    guard let cleanup = cleanups.isEmpty ? nil : cleanups.removeValue(forKey: slot) else {
      return leaveCleanup(program, of: slot, &pass)
    }
    strands[Int(cleanup)].pending -= 1
    guard strands[Int(cleanup)].pending == 0 else { return }
    if strands[Int(cleanup)].flags.contains(.cancelled) {
      settleIfIdle(cleanup, &pass)
    } else {
      push(program, on: cleanup)
      makeReady(cleanup)
    }
  }

  private mutating func leaveCleanup(_ program: P, of slot: Int32, _ pass: inout Pass<P>) {
    guard !strands[Int(slot)].flags.contains(.abandoned) else { return }
    let cleanup = makeCleanup(for: slot, &pass)
    strands[Int(cleanup)].catcher = strands[Int(slot)].catcher
    start(cleanup: program, on: cleanup)
  }

  /// A clean-up has settled: the strand that stayed for it may go.
  ///
  /// One that is cancelled itself is over only when it is given back: it may have left something behind in its turn.
  mutating func endCleanup(_ slot: Int32, _ pass: inout Pass<P>) {
    guard let origin = origins.removeValue(forKey: slot) else { return }
    strands[Int(origin)].flags.remove(.leavesCleanup)
    release(origin, &pass)
  }

  /// Whether the strand is part of what a cancelled holder of the registration has left behind.
  func isInsideCleanup(_ slot: Int32, of registration: Int32) -> Bool {
    guard registrations[Int(registration)].cleaningUp > 0 else { return false }
    var current = slot
    var (isLeftBehind, isSpared) = (false, false)
    while current >= 0 {
      let flags = strands[Int(current)].flags
      let isCleanup = isLeftBehind || isSpared && flags.contains(.cancelled)
      if isCleanup, strands[Int(current)].registration == registration { return true }
      isSpared = isSpared || flags.contains(.isCleanup)
      if !origins.isEmpty, let origin = origins[current] {
        current = origin
        isLeftBehind = true
      } else {
        current = strands[Int(current)].parent
      }
    }
    return false
  }

  // MARK: Places

  private enum Place {
    /// Below the clean-up of this `finally`, which waits for it.
    case cleanup(of: Int32)
    case strand(Int32, isAttached: Bool)
    /// The whole tree, whose context this is, has been cancelled.
    case outside(P.Context?)
  }

  private mutating func makeCleanup(for slot: Int32, _ pass: inout Pass<P>) -> Int32 {
    var place = place(ofCleanupOf: slot)
    var waiting: [Int32] = []
    while case .cleanup(let outer) = place, cleanups[outer] == nil {
      waiting.append(outer)
      place = self.place(ofCleanupOf: outer)
    }
    for outer in waiting.reversed() {
      let cleanup = makeCleanup(for: outer, at: place, &pass)
      strands[Int(cleanup)].activity = strands[Int(outer)].activity
      strands[Int(cleanup)].catcher = livingRecovery(above: strands[Int(outer)].catcher)
      strands[Int(cleanup)].flags.insert(.isCleanup)
      // It waits for the cancelled one as for a child.
      strands[Int(cleanup)].pending += 1
      cleanups[outer] = cleanup
      place = .cleanup(of: outer)
    }
    return makeCleanup(for: slot, at: place, &pass)
  }

  private mutating func makeCleanup(for slot: Int32, at place: Place, _ pass: inout Pass<P>) -> Int32 {
    let cleanup: Int32
    switch place {
    case .cleanup(let outer):
      guard let parent = cleanups[outer] else { preconditionFailure("strand \(outer) has no clean-up") }
      cleanup = makeChild(of: parent, attached: true, boundary: true, &pass)
    case .strand(let parent, let isAttached):
      cleanup = makeChild(of: parent, attached: isAttached, boundary: true, &pass)
    case .outside(let context):
      cleanup = makeRoot(context: context, &pass)
      strands[Int(cleanup)].flags.insert(.silent)
      if let context { pass.directives.append(.adopted(context)) }
    }
    strands[Int(cleanup)].flags.formUnion([.lingers, .passesAttempts, .apart])
    strands[Int(slot)].flags.insert(.leavesCleanup)
    origins[cleanup] = slot
    return cleanup
  }

  /// Climbs out of what is cancelled, from one `finally` or one cancel to the next, and not strand by strand.
  private func place(ofCleanupOf slot: Int32) -> Place {
    var current = slot
    var isAttached = true
    while true {
      let target = strands[Int(current)].cancelledTarget
      if target != current {
        isAttached = isAttached && strands[Int(current)].flags.contains(.attachedToTarget)
        current = target
      } else {
        isAttached = isAttached && strands[Int(current)].flags.contains(.attached)
        let parent = strands[Int(current)].parent
        guard parent >= 0 else { return .outside(strands[Int(current)].context) }
        // What is around it may have been cancelled at another time.
        guard strands[Int(parent)].flags.contains(.cancelled) else {
          return .strand(isAttached ? parent : strands[Int(parent)].boundary, isAttached: isAttached)
        }
        current = parent
      }
      if isAttached, waitsForBody(current) { return .cleanup(of: current) }
    }
  }

  func waitsForBody(_ slot: Int32) -> Bool {
    guard !strands[Int(slot)].flags.contains(.settled) else { return false }
    if case .finalizing = strands[Int(slot)].activity { return true }
    return false
  }
}
