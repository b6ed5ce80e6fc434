/// Streams and bindings: detached fibers that emit effects.
///
/// Laws 5 and 16. Events: `emitted`, `sourceEnded`, `sourceFailed`. Activities: `emitting`.
extension Machine {
  /// Returns whether a timer or a source may begin.
  ///
  /// A timer or a source may not begin while the store or the tree drains, nor from a cleanup whose scope is already
  /// cancelled, because nothing could end it.
  func mayBeginSource(from slot: FiberSlot) -> Bool {
    !drains(slot) && !fibers[fibers[slot].boundary].flags.contains(.cancelled)
  }

  /// Returns whether the store or the tree of a fiber drains.
  func drains(_ slot: FiberSlot) -> Bool {
    isDraining || fibers[mainRoot(of: fibers[slot].root)].rare?.pointee.isDraining == true
  }

  mutating func beginSource(from slot: FiberSlot, _ pass: inout Pass<P>) {
    guard mayBeginSource(from: slot) else { return }
    let site = site(of: slot)
    let source = beginDetached(from: slot, &pass)
    stand(source, at: site)
    fibers[source].activity = .emitting
    pass.hasWaits = true
    traceBegin(of: source, &pass)
    pass.directives.append(.open(id(of: source), site))
  }

  /// Begins the effect of a value that a source has emitted.
  ///
  /// - Parameter program: the effect, or `nil` for a value without one.
  /// - Returns: the fiber that runs the effect, or `nil` if the effect begins later or never.
  @discardableResult
  mutating func emitted(_ id: FiberID, _ program: P?, _ pass: inout Pass<P>) -> FiberID? {
    guard !isCancelled(id), case .emitting = fibers[id.slot].activity,
      fibers[id.slot].flags.isDisjoint(with: [.ended, .stopped])
    else { return nil }
    let height = ready.count
    switch strategy(of: id.slot) {
    case .each:
      if let rare = fibers[id.slot].rare, rare.pointee.emissions != nil {
        if let program {
          _ = rare.pointee.backlog.append(program, capacity: .max)
          rare.pointee.lineages.append(pass.followed)
        }
        return nil
      }
    case .latest:
      cancelChildren(of: id.slot, alsoDetached: true, &pass)
      awaitBarrier(&pass)
    case .serial(let capacity):
      if let program, fibers[id.slot].pending > 0 {
        let rare = fibers.makeRare(of: id.slot)
        rare.pointee.lineages.append(pass.followed)
        if let oldest = rare.pointee.backlog.append(program, capacity: capacity) {
          _ = rare.pointee.lineages.popFirst()
          released.append(oldest)
          trace(.dropped, as: .dropped, of: id.slot, &pass)
        }
        return nil
      }
    }
    guard let program else {
      step(&pass)
      return nil
    }
    let child = beginChild(running: program, of: id.slot, boundary: true, behind: height, &pass)
    let childID = self.id(of: child)
    step(&pass)
    return childID
  }

  /// Returns whether any effect that a source has begun is alive.
  func hasBegun(_ id: FiberID) -> Bool { isAlive(id) && fibers[id.slot].firstChild.exists }

  /// Returns whether a fiber belongs to a source's effect and an earlier effect of that source is alive.
  ///
  /// - Complexity: linear in the number of fibers around it.
  func comesAfterOthers(_ id: FiberID) -> Bool {
    guard isAlive(id) else { return false }
    var slot = id.slot
    while case let parent = fibers[slot].parent, parent.exists {
      if case .emitting = fibers[parent].activity, fibers[parent].firstChild != slot { return true }
      slot = parent
    }
    return false
  }

  /// Returns whether a commit of a source or a timer may be applied in place: the source has begun, and none of its
  /// earlier effects is alive.
  ///
  /// `mutating`, although it changes nothing, because the compiler would copy the machine for the call.
  mutating func mayCommitInPlace(_ id: FiberID) -> Bool {
    // A source that has ended stays only for its children, so a source without children has not ended.
    guard !options.traced.contains(.committed), !isCancelled(id), !fibers[id.slot].firstChild.exists,
      !fibers[id.slot].flags.contains(.stopped)
    else { return false }
    if let rare = fibers[id.slot].rare, rare.pointee.emissions != nil { return false }
    return true
  }

  /// Ends a source that has nothing more to emit, or that has ended because of a cancel.
  ///
  /// The source's last effects continue.
  mutating func sourceEnded(_ id: FiberID, _ pass: inout Pass<P>) {
    // A binding that is cancelled while its upstream store ends is notified of its end by both.
    guard isAlive(id), !fibers[id.slot].flags.contains(.ended) else { return }
    let hasBeenStopped = !fibers[id.slot].flags.isDisjoint(with: [.cancelled, .stopped])
    traceEnd(of: id.slot, hasBeenStopped ? .cancelled : .finished, &pass)
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
  /// The effect that the error maps to runs beside the effects of earlier values, which continue.
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

  /// Continues a source with its next value when the effects of a value have settled.
  mutating func continueSource(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    if let rare = fibers[slot].rare, rare.pointee.emissions != nil, !rare.pointee.backlog.isEmpty { return }
    if let program = fibers[slot].rare?.pointee.backlog.popFirst() {
      let child = beginChild(running: program, of: slot, boundary: true, &pass)
      keep(fibers[slot].rare?.pointee.lineages.popFirst() ?? nil, of: child)
    } else if fibers[slot].flags.contains(.ended) {
      settle(slot, &pass)
    }
  }

  /// Keeps the lineage of an effect that waits for others, until the effect continues.
  mutating func keep(_ lineage: DeliveryLineage?, of slot: FiberSlot) {
    if let lineage { fibers.makeRare(of: slot).pointee.lineage = lineage }
  }

  mutating func releaseBacklog(of slot: FiberSlot) {
    while let program = fibers[slot].rare?.pointee.backlog.popFirst() { released.append(program) }
    if let list = fibers[slot].rare?.pointee.undivided.take() { released.append(list) }
  }

  @inline(__always)
  func strategy(of slot: FiberSlot) -> SourceStrategy {
    guard let site = fibers[slot].site, case .source(let strategy) = site.program.instruction(at: site.index)
    else {
      preconditionFailure("fiber \(slot) emits without being a source")
    }
    return strategy
  }

  /// Begins a detached fiber, owned by the scope that contains the fiber `slot`.
  mutating func beginDetached(from slot: FiberSlot, _ pass: inout Pass<P>) -> FiberSlot {
    let owner = fibers[slot].boundary
    let child = makeChild(of: owner, attached: false, boundary: true, &pass)
    fibers[child].flags.formUnion([.lingers, .passesAttempts])
    fibers[child].catcher = nearestRecovery(from: fibers[slot].catcher)
    fibers[child].nearestLabel = fibers[slot].nearestLabel
    fibers[child].flags.formUnion(fibers[slot].flags.intersection(.labelled))
    return child
  }
}
