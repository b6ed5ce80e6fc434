/// Lifts: effects of another store that their fiber waits for as for an operation.
///
/// Laws 7, 19 and 25. Events: `liftSettled`, `liftEnded`. Activities: `operating` for the part that its parents wait
/// for, `emitting` for effects that this part leaves running in the other store.
///
/// A fiber that lifts, or has lifted, has the flag `lifts`. A cancel of such a fiber enters the other store before
/// anything else happens (`cancelCall`).
extension Machine {
  mutating func beginLift(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    let site = site(of: slot)
    fibers[slot].flags.insert(.lifts)
    fibers[slot].releaseEffect(to: &released)
    operate(site, slot, &pass)
    if drains(slot) { pass.directives.append(.drain(id(of: slot))) }
    // The lift's prefix in the other store runs before the effects beside the lift here.
    pass.standStill()
  }

  /// Continues a fiber whose lifted effect has settled in the other store.
  mutating func liftSettled(_ id: FiberID, _ ending: LiftEnding, _ pass: inout Pass<P>) {
    noteLiftEnding(ending, of: id)
    operationFinished(id, nil, &pass)
  }

  /// Begins a detached fiber for effects that an operation has left running in another store; `liftEnded` reports their
  /// end.
  ///
  /// - Returns: the fiber, or `nil` if the operation was cancelled, or if the operation is a cleanup whose scope was.
  mutating func leaveDetached(_ id: FiberID, _ pass: inout Pass<P>) -> FiberID? {
    guard !isCancelled(id), !fibers[fibers[id.slot].boundary].flags.contains(.cancelled) else { return nil }
    let source = beginDetached(from: id.slot, &pass)
    fibers[source].leftEffect = fibers[id.slot].effect
    fibers[source].activity = .emitting
    fibers[source].flags.formUnion(fibers[id.slot].flags.intersection(.lifts))
    traceBegin(of: source, &pass)
    if drains(source) { pass.directives.append(.drain(self.id(of: source))) }
    return self.id(of: source)
  }

  /// Ends a cancelled lift, or the detached part of a lift, once nothing of it is left in the other store.
  mutating func liftEnded(_ id: FiberID, _ pass: inout Pass<P>) {
    guard isAlive(id) else { return }
    if case .emitting = fibers[id.slot].activity {
      sourceEnded(id, &pass)
    } else {
      operationFinished(id, nil, &pass)
    }
  }

  /// Tells the other store whether its part of a lift drains; a cancelled lift may have cleanups there.
  ///
  /// - Returns: false if the fiber has lifted nothing.
  @discardableResult
  func passOnDraining(of slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    switch fibers[slot].activity {
    case .operating, .emitting:
      let flags = fibers[slot].flags
      guard flags.contains(.lifts), flags.isDisjoint(with: [.settled, .ended, .stopped]) else { return false }
      pass.directives.append(.drain(id(of: slot)))
      return true
    case .ready, .evaluating, .sleeping, .waiting, .turn, .retrying, .deciding, .backingOff, .window, .folded,
      .handling, .throttled, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating,
      .queued, .joining, .ticking:
      return false
    }
  }

  /// Records how a lifted effect has ended in the other store.
  mutating func noteLiftEnding(_ ending: LiftEnding, of id: FiberID) {
    guard isAlive(id), ending != .completed else { return }
    let slot = id.slot
    let isCancelled = fibers[slot].flags.contains(.cancelled)
    // A cancelled effect ends early only if its own identifier was cancelled.
    if ending == .incomplete {
      if isCancelled { fibers[slot].completion = [] } else { endEarly(slot) }
      denyCompletion(around: slot)
    } else if !isCancelled {
      fibers[slot].flags.insert(.endsEarly)
      fibers[slot].completion = .complete
    }
  }

  /// Returns how a tree ends for the lift that it belongs to.
  ///
  /// An error of the tree's timers and streams ends nothing, although it may be the tree's outcome.
  func liftEnding(of root: FiberSlot, endingAs ending: Ending<P.Failure>) -> LiftEnding {
    let flags = fibers[root].flags
    guard !flags.contains(.hasFailed), hasCompleted(root) else { return .incomplete }
    let endsEarly = !flags.isDisjoint(with: [.cancelled, .endsEarly])
    return switch ending {
    case .finished, .failed: endsEarly ? .cancelledAfterwards : .completed
    case .cancelled: endsEarly ? .cancelledAfterwards : .incomplete
    case .dropped: .incomplete
    }
  }
}
