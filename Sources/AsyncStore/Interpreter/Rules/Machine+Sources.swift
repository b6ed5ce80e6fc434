/// Streams, bindings and what a lift leaves running: detached fibers that emit effects.
///
/// Laws 5, 16 and 17. Events: `emitted`, `emissionEnded`, `sourceEnded`, `sourceFailed`, `liftEnded`. Activities:
/// `emitting`.
extension Machine {
  /// Returns whether a timer or a source may begin.
  ///
  /// It may not while the store drains, nor from a cleanup whose scope is cancelled already, because nobody could end
  /// it.
  func mayBeginSource(from slot: FiberSlot) -> Bool {
    !isDraining && !fibers[fibers[slot].boundary].flags.contains(.cancelled)
  }

  mutating func beginSource(at site: Site<P>, from slot: FiberSlot, _ pass: inout Pass<P>) {
    guard mayBeginSource(from: slot) else { return }
    let source = beginDetached(from: slot, &pass)
    push(site.program.part(site.index..<site.index + 1), from: 1, to: 1, on: source)
    fibers[source].activity = .emitting
    pass.hasWaits = true
    traceBegin(of: source, &pass)
    pass.directives.append(.open(id(of: source), site))
  }

  /// Begins a detached fiber for effects that an operation has left running in another store; `liftEnded` reports their
  /// end.
  ///
  /// - Returns: the fiber, or `nil` if the operation has been cancelled, or if nobody could end the fiber.
  mutating func leaveDetached(_ id: FiberID, _ pass: inout Pass<P>) -> FiberID? {
    guard !isCancelled(id), mayBeginSource(from: id.slot) else { return nil }
    let source = beginDetached(from: id.slot, &pass)
    fibers[source].leftEffect = fibers[id.slot].effect
    fibers[source].activity = .emitting
    fibers[source].flags.formUnion(fibers[id.slot].flags.intersection(.lifts))
    traceBegin(of: source, &pass)
    return self.id(of: source)
  }

  /// Ends a cancelled lift, or the detached part that a lift has left behind, of which nothing is left in the other
  /// store.
  mutating func liftEnded(_ id: FiberID, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    if case .emitting = fibers[id.slot].activity {
      sourceEnded(id, &pass)
    } else {
      operationFinished(id, nil, &pass)
    }
  }

  /// Begins the effect that a source has emitted; `nil` for a value without an effect.
  mutating func emitted(_ id: FiberID, _ program: P?, _ pass: inout Pass<P>) {
    guard !isCancelled(id), case .emitting = fibers[id.slot].activity,
      fibers[id.slot].flags.isDisjoint(with: [.ended, .stopped])
    else { return }
    let height = ready.count
    switch strategy(of: id.slot) {
    case .each:
      if let rare = fibers[id.slot].rare, rare.delays > 0, let program {
        _ = rare.backlog.append(program, capacity: .max)
        return
      }
    case .latest:
      cancelChildren(of: id.slot, alsoDetached: true, &pass)
    case .serial(let capacity):
      if let program, fibers[id.slot].pending > 0 {
        if let oldest = fibers.makeRare(of: id.slot).backlog.append(program, capacity: capacity) {
          released.append(oldest)
          trace(.dropped, as: .dropped, of: id.slot, &pass)
        }
        return
      }
    }
    if let program { beginChild(running: program, of: id.slot, boundary: true, behind: height, &pass) }
    step(&pass)
  }

  /// Lets the next effects of a source wait: a part of what it has emitted goes on under another lock, and is not
  /// complete before `emissionEnded` has come as often.
  mutating func emissionDelayed(_ id: FiberID) {
    guard isAlive(id) else { return }
    if let rare = fibers[id.slot].rare, rare.delays > 0 {
      rare.delays += 1
    } else if fibers[id.slot].flags.isDisjoint(with: [.cancelled, .ended]), case .each = strategy(of: id.slot) {
      // With another strategy the next effects wait for more than that, or for nothing.
      fibers.makeRare(of: id.slot).delays = 1
    }
  }

  /// Begins the next effect that has waited, once all parts of the one before have ended.
  ///
  /// - Returns: true if the caller has to report the end of that effect, too.
  mutating func emissionEnded(_ id: FiberID, _ pass: inout Pass<P>) -> Bool {
    guard isAlive(id), let rare = fibers[id.slot].rare, rare.delays > 0 else { return false }
    guard rare.delays == 1, let next = rare.backlog.popFirst() else {
      rare.delays -= 1
      return false
    }
    beginChild(running: next, of: id.slot, boundary: true, &pass)
    step(&pass)
    return true
  }

  /// Returns whether a commit of a source or a timer may be applied in place: the source has begun, and nothing that it
  /// began before is alive.
  ///
  /// `mutating`, though it changes nothing, because the compiler would make a copy of the machine for the call.
  mutating func mayCommitInPlace(_ id: FiberID) -> Bool {
    // A source that has ended lives on only for its children, so a source without children has not ended.
    !traced.contains(.committed) && !isCancelled(id) && !fibers[id.slot].firstChild.exists
      && !fibers[id.slot].flags.contains(.stopped)
  }

  /// Ends a source that has no more to emit, or that has ended because it was cancelled.
  ///
  /// Its last effects go on.
  mutating func sourceEnded(_ id: FiberID, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    traceEnd(of: id.slot, fibers[id.slot].flags.contains(.cancelled) ? .cancelled : .finished, &pass)
    fibers[id.slot].flags.insert(.ended)
    if fibers[id.slot].flags.contains(.cancelled) {
      settleIfIdle(id.slot, &pass)
    } else if fibers[id.slot].pending == 0 {
      continueSource(id.slot, &pass)
    } else {
      fibers[id.slot].releaseAll(to: &released)
    }
    step(&pass)
  }

  /// Handles the error of a source.
  ///
  /// The effect that the error maps to runs beside the effects of the values before it, which go on.
  mutating func sourceFailed(_ id: FiberID, _ failure: P.Failure, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    // Cancelled streams end without an error.
    guard fibers[id.slot].flags.isDisjoint(with: [.cancelled, .stopped]) else { return sourceEnded(id, &pass) }
    traceEnd(of: id.slot, .failed(failure), &pass)
    fibers[id.slot].flags.insert(.ended)
    fibers[id.slot].releaseAll(to: &released)
    let failed = makeChild(of: id.slot, attached: false, boundary: true, &pass)
    fibers[failed].flags.formUnion([.lingers, .passesAttempts])
    fibers[failed].leftEffect = fibers[id.slot].effect
    fail(failed, failure, &pass)
    if fibers[id.slot].pending == 0 { continueSource(id.slot, &pass) }
    step(&pass)
  }

  /// Goes on with the next value of a source when the effects of a value have settled.
  mutating func continueSource(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    if let program = fibers[slot].rare?.backlog.popFirst() {
      beginChild(running: program, of: slot, boundary: true, &pass)
    } else if fibers[slot].flags.contains(.ended) {
      settle(slot, &pass)
    }
  }

  mutating func releaseBacklog(of slot: FiberSlot) {
    while let program = fibers[slot].rare?.backlog.popFirst() { released.append(program) }
  }

  @inline(__always)
  private func strategy(of slot: FiberSlot) -> SourceStrategy {
    guard let site = fibers[slot].site, case .source(let strategy) = site.program.instruction(at: site.index)
    else {
      preconditionFailure("fiber \(slot) emits without being a source")
    }
    return strategy
  }
}
