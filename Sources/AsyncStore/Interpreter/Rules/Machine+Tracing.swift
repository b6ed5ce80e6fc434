/// The events for instruments.
///
/// Law 24: they change nothing else. Events: none of its own. Activities: none.
extension Machine {
  /// Records that a tree, which is about to begin, was lifted into the store.
  mutating func traceLift(from origin: P.Origin, of root: FiberSlot, _ pass: inout Pass<P>) {
    let program = fibers[root].program
    let effect = program?.count == 1 ? program?.description(at: 0) : nil
    let record = record(of: root, at: effect, reusing: pass.spareRecords.popLast())
    pass.trace(TraceEvent(content: .lifted(from: origin), moment: pass.now(), record: record))
  }

  mutating func traceCommits(_ count: Int, of slot: FiberSlot, _ site: Site<P>, _ pass: inout Pass<P>) {
    guard options.traced.contains(.committed) else { return }
    pass.trace(event(.committed(site, count: count), of: slot, &pass))
  }

  mutating func traceBegin(of slot: FiberSlot, _ pass: inout Pass<P>) { trace(.begun, as: .begun, of: slot, &pass) }

  mutating func traceEnd(of slot: FiberSlot, _ ending: Ending<P.Failure>, _ pass: inout Pass<P>) {
    trace(.ended(ending), as: .settled, of: slot, &pass)
  }

  mutating func trace(
    _ content: @autoclosure () -> TraceEvent<P>.Content, as kind: EventKinds, of slot: FiberSlot,
    _ pass: inout Pass<P>
  ) {
    guard options.traced.contains(kind), fibers[slot].hasEffect else { return }
    pass.trace(event(content(), of: slot, &pass))
  }

  mutating func traceWait(_ wait: TraceWait, of slot: FiberSlot, _ pass: inout Pass<P>) {
    guard options.traced.contains(.waiting) else { return }
    pass.trace(event(.waiting(wait), of: slot, &pass))
  }

  mutating func traceWaitEnd(
    _ wait: TraceWait, isCancelled: Bool = false, of slot: FiberSlot, _ pass: inout Pass<P>
  ) {
    guard options.traced.contains(.waited) else { return }
    pass.trace(event(.waited(wait, isCancelled: isCancelled), of: slot, &pass))
  }

  /// Returns an event for a fiber's effect; for a commit, the effect is the first of its mutations.
  func event(_ content: TraceEvent<P>.Content, of slot: FiberSlot, _ pass: inout Pass<P>) -> TraceEvent<P> {
    let effect =
      if case .committed(let site, _) = content { site.program.description(at: site.index) } else { effect(of: slot) }
    let record = record(of: slot, at: effect, reusing: pass.spareRecords.popLast())
    return TraceEvent(content: content, moment: pass.now(), record: record)
  }

  func record(of slot: FiberSlot) -> P.Record { record(of: slot, at: effect(of: slot), reusing: nil) }

  private func record(
    of slot: FiberSlot, at effect: P.Description?, reusing spare: consuming P.Record?
  ) -> P.Record {
    P.record(effect, reusing: spare) { place in
      place.number = fibers[slot].number
      place.parent = listedParent(of: slot)
      place.tree = fibers[fibers[slot].root].number
      place.isCancelled = fibers[slot].flags.contains(.cancelled)
      place.attempt = attemptNumber(around: slot)
      if let label = fibers[slot].nearestLabel { place.label = label }
      var scope = fibers[slot].registration.exists ? slot : fibers[slot].scope
      while scope.exists, place.outer.count < 8 {
        let registration = fibers[scope].registration
        if registration.exists, let identifier = registry[registration].identifier { place.append(identifier) }
        scope = fibers[scope].scope
      }
    }
  }

  /// Returns the description of a fiber's current effect, or of the effect that waits for its turn.
  private func effect(of slot: FiberSlot) -> P.Description? {
    guard case .turn = fibers[slot].activity, fibers[slot].cursor < fibers[slot].end else { return fibers[slot].effect }
    return fibers[slot].program?.description(at: Int(fibers[slot].cursor))
  }

  /// Returns the number of the nearest fiber around this one that does more than hold its only child.
  ///
  /// If such holders are nested deeply, the method returns one of them, so that an event takes constant time.
  private func listedParent(of slot: FiberSlot) -> UInt64? {
    var hasScopeBelow = fibers[slot].registration.exists
    var parent = fibers[slot].parent
    var length = 0
    while parent.exists, length < Self.shortPath, holdsOneChild(parent) {
      if fibers[parent].registration.exists {
        // If two identifiers are around one effect, each of them is listed.
        if hasScopeBelow { break }
        hasScopeBelow = true
      }
      parent = fibers[parent].parent
      length += 1
    }
    return parent.exists ? fibers[parent].number : nil
  }

  /// Returns whether a fiber does nothing but hold its only child.
  func holdsOneChild(_ slot: FiberSlot) -> Bool {
    let child = fibers[slot].firstChild
    guard child.exists, !fibers[child].next.exists else { return false }
    if fibers[slot].flags.contains(.settled) { return true }
    if case .waiting = fibers[slot].activity { return true }
    return false
  }

  /// Returns the current attempt of the nearest retry around a fiber, unless the retry is far away.
  private func attemptNumber(around slot: FiberSlot) -> EffectPlace<P>.AttemptNumber? {
    if let attempt = attemptNumber(of: slot) { return attempt }
    // Timers and cleanups are not part of an attempt, and may outlive it.
    if fibers[slot].flags.contains(.passesAttempts) { return nil }
    var catcher = fibers[slot].catcher
    var length = 0
    while catcher.exists, length < Self.shortPath {
      if let attempt = attemptNumber(of: catcher) { return attempt }
      catcher = outerCatcher(of: catcher)
      length += 1
    }
    return nil
  }

  private func attemptNumber(of slot: FiberSlot) -> EffectPlace<P>.AttemptNumber? {
    guard let rare = fibers[slot].rare, rare.pointee.retry.isActive else { return nil }
    return .init(
      number: rare.pointee.retry.attemptNumber, fiber: fibers[slot].number, retry: rare.pointee.retry.number)
  }
}

extension EffectPlace {
  fileprivate mutating func append(_ identifier: P.Identifier) {
    if self.identifier == nil { self.identifier = identifier } else { outer.append(identifier) }
  }
}
