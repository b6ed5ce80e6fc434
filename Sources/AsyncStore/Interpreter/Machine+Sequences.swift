/// Sequences, and what undoes their members.
///
/// A member runs in a strand of its own, whose errors the sequence catches, like an attempt of a retry. What has
/// completed and can be compensated is recorded with the nearest sequence around it, as one program that runs the
/// newest compensation first. A sequence that is cancelled becomes a cancelled `finally` with that program as its
/// clean-up.
extension Machine {
  /// A member has settled, or the sequence begins.
  mutating func continueSequence(_ slot: Int32, _ pass: inout Pass<P>) -> Progress {
    guard case .sequencing(let members, let next) = strands[Int(slot)].activity, strands[Int(slot)].pending == 0 else {
      return .leftOff
    }
    if strands[Int(slot)].flags.contains(.endsEarly) || !failures.isEmpty && failures[slot] != nil {
      released.append(members)
      return undo(slot, &pass)
    }
    guard Int(next) < members.count else {
      released.append(members)
      if !undos.isEmpty, let undo = undos.removeValue(forKey: slot) { record(undo, from: slot) }
      makeReady(slot)
      return .leftOff
    }
    strands[Int(slot)].activity = .sequencing(members, next: next + 1)
    let child = makeChild(of: slot, attached: true, boundary: true, &pass)
    setAttempt(child, of: slot)
    push(members, from: Int(next), to: Int(next) + 1, on: child)
    makeReady(child)
    return .leftOff
  }

  private mutating func undo(_ slot: Int32, _ pass: inout Pass<P>) -> Progress {
    if let failure = failures[slot], catcherPastCompensations(of: slot) < 0 {
      // What a compensation throws is not what the tree fails with.
      noteFailure(failure, ofTreeOf: slot)
    }
    strands[Int(slot)].activity = .undoing
    guard !undos.isEmpty, let undo = undos.removeValue(forKey: slot) else { return endSequence(slot, &pass) }
    start(cleanup: undo, on: makeChild(of: slot, attached: true, &pass))
    return .leftOff
  }

  /// All that had completed is undone: on with the error, or with what comes after what was cancelled.
  mutating func endSequence(_ slot: Int32, _ pass: inout Pass<P>) -> Progress {
    guard strands[Int(slot)].pending == 0 else { return .leftOff }
    strands[Int(slot)].activity = .ready
    if let failure = failures.removeValue(forKey: slot) {
      fail(slot, failure, &pass)
      return .leftOff
    }
    let isAll = strands[Int(slot)].parent < 0 || strands[Int(slot)].flags.contains(.standsForRoot)
    if isAll, !hasMoreToDo(slot) { strands[Int(strands[Int(slot)].root)].flags.insert(.endsCancelled) }
    makeReady(slot)
    return .leftOff
  }

  // MARK: Compensations

  mutating func beginCompensated(_ body: consuming P, by undo: consuming P, _ slot: Int32, _ pass: inout Pass<P>) {
    guard nearestSequence(around: slot) >= 0 else {
      released.append(undo)
      return push(body, on: slot)
    }
    strands[Int(slot)].activity = .compensating(by: undo)
    let child = beginBody(body, of: slot, boundary: false, &pass)
    // Errors pass by here, so that it is known of them.
    strands[Int(child)].catcher = slot
  }

  mutating func endCompensated(_ slot: Int32, _ undo: P?) {
    if let undo {
      if strands[Int(slot)].flags.contains(.endsEarly) { released.append(undo) } else { record(undo, from: slot) }
    }
    makeReady(slot)
  }

  /// An error leaves the body of the compensated effect `slot`.
  ///
  /// - Returns: who catches it outside.
  mutating func letPass(by slot: Int32) -> Int32 {
    if case .compensating(let undo?) = strands[Int(slot)].activity { released.append(undo) }
    strands[Int(slot)].activity = .compensating(by: nil)
    return strands[Int(slot)].catcher
  }

  /// The compensation belongs to the nearest sequence around the strand from now on.
  private mutating func record(_ undo: P, from slot: Int32) {
    let sequence = nearestSequence(around: slot)
    guard sequence >= 0 else { return released.append(undo) }
    undos[sequence] = undos[sequence].map { P.undo(undo, then: $0) } ?? undo
  }

  /// None from where nobody waits for it, or from a clean-up.
  private mutating func nearestSequence(around slot: Int32) -> Int32 {
    if strands[Int(slot)].flags.contains(.passesAttempts) { return -1 }
    let start = outerCatcher(of: slot)
    var current = start
    var length = 0
    while current >= 0, !isSequencing(current) {
      if strands[Int(current)].flags.contains(.passesAttempts) { return -1 }
      let shortcut = sequenceShortcuts[current]
      // A sequence that has ended since is no end any more.
      current = if let shortcut, isSequencing(shortcut) { shortcut } else { outerCatcher(of: current) }
      length += 1
    }
    guard current >= 0, length > Self.shortPath else { return current }
    var passed = start
    while passed != current {
      let isKnown = sequenceShortcuts[passed] == current
      sequenceShortcuts[passed] = current
      passed = isKnown ? current : outerCatcher(of: passed)
    }
    return current
  }

  private func isSequencing(_ slot: Int32) -> Bool {
    if case .sequencing = strands[Int(slot)].activity { return true }
    return false
  }

  private func catcherPastCompensations(of slot: Int32) -> Int32 {
    var catcher = strands[Int(slot)].catcher
    while catcher >= 0, case .compensating = strands[Int(catcher)].activity { catcher = strands[Int(catcher)].catcher }
    return catcher
  }
}
