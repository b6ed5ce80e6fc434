// The list of effects in flight: a walk through the live tree.

extension Machine<EffectProgram> {
  /// Lists the effects in flight, in the order of their trees.
  ///
  /// - Precondition: no operation is folded.
  /// - Parameter sparesCleanup: true to leave out effects that have been cancelled and cleanups that have begun.
  func effectsInFlight(at now: Moment, sparingCleanup sparesCleanup: Bool = false) -> [InFlightEffect] {
    var effects: [InFlightEffect] = []
    let deadlines = self.deadlines.bySlot()
    let positions = queuePositions()
    var pending: ContiguousArray<Visit> = []
    if fibers.firstRoot.exists { pending.append(Visit(slot: fibers.firstRoot, position: TreePosition())) }
    while let visit = pending.popLast() {
      // Fields of the fiber are read one by one, because copying it takes longer than everything else.
      let slot = visit.slot
      let next = fibers[slot].next
      if next.exists, !visit.isOnlyChild { pending.append(Visit(slot: next, position: visit.position)) }
      // Nobody waits for a window; the fiber that waits for its end is in the list.
      if case .window = fibers[slot].activity { continue }
      if sparesCleanup, !visit.needsCancel, !needsCancel(slot) { continue }
      // If more effects follow a cancelled one, it is the frame that is cancelled.
      let isKnown = visit.needsCancel && !hasMoreToDo(slot)
      if isMereFrame(slot), !sparesCleanup || isKnown || needsCancel(fibers[slot].firstChild) {
        // The frame is left out, and its names go to its child, which is the effect that people look for.
        pending.append(
          Visit(
            slot: fibers[slot].firstChild, position: visit.position, isOnlyChild: true, needsCancel: !hasMoreToDo(slot),
            identifier: identifier(of: slot) ?? visit.identifier, label: fibers[slot].label ?? visit.label,
            isAwaited: visit.isAwaited ?? fibers[slot].flags.contains(.attached)))
        continue
      }
      let remaining = deadlines[clock(of: slot)].map { Duration.nanoseconds(now.distance(to: $0)) }
      effects.append(effectInFlight(visit, position: positions[slot], at: now, remaining: remaining))
      let below = TreePosition(depth: visit.position.depth + 1, parent: fibers[slot].number)
      if fibers[slot].firstChild.exists {
        let needsCancel = holdsOneChild(slot) && !hasMoreToDo(slot)
        pending.append(Visit(slot: fibers[slot].firstChild, position: below, needsCancel: needsCancel))
      }
    }
    return effects
  }

  var countOfEffectsInFlight: Int {
    guard fibers.liveCount > counts.windows else { return 0 }
    var count = -counts.windows
    for slot in fibers.slots where fibers[slot].flags.contains(.occupied) && !isMereFrame(slot) {
      count += 1 + countOfFibersFolded(into: slot)
    }
    return count
  }

  /// Returns the positions of the fibers that wait in queues, from 1.
  private func queuePositions() -> [FiberSlot: Int] {
    var positions: [FiberSlot: Int] = [:]
    for registration in registry.places {
      var (slot, position) = (registry[registration].waiting.first, 1)
      while slot.exists {
        positions[slot] = position
        (slot, position) = (fibers[slot].nextHolder, position + 1)
      }
    }
    return positions
  }

  /// Returns whether a shutdown has something to cancel in the fiber or below it.
  private func needsCancel(_ slot: FiberSlot) -> Bool {
    var current = slot
    while !isLeftAloneByShutdown(current) {
      guard holdsOneChild(current), !hasMoreToDo(current) else { return true }
      current = fibers[current].firstChild
    }
    return false
  }

  /// Returns whether a shutdown's cancel spares the fiber, or finds it already cancelled.
  private func isLeftAloneByShutdown(_ slot: FiberSlot) -> Bool {
    !fibers[slot].flags.isDisjoint(with: [.isCleanup, .cancelled]) || isAboutToSettle(slot)
      || fibers[slot].origin != nil && !fibers[slot].parent.exists
  }

  /// Returns the fiber that holds the deadline that a fiber waits for; for a throttled fiber, its window.
  private func clock(of slot: FiberSlot) -> FiberSlot {
    guard case .throttled = fibers[slot].activity else { return slot }
    return registry[fibers[slot].registration].window
  }

  /// Returns whether a fiber does nothing but hold its only child, which is listed with the fiber's name.
  private func isMereFrame(_ slot: FiberSlot) -> Bool {
    guard holdsOneChild(slot) else { return false }
    guard fibers[slot].registration.exists else { return true }
    // If two identifiers are around one effect, each of them is listed.
    var child = fibers[slot].firstChild
    while !fibers[child].registration.exists {
      guard holdsOneChild(child) else { return true }
      child = fibers[child].firstChild
    }
    if case .window = fibers[child].activity { return true }
    return false
  }

  private func effectInFlight(
    _ visit: Visit, position: Int?, at now: Moment, remaining: Duration?
  ) -> InFlightEffect {
    let (slot, identifier) = (visit.slot, identifier(of: visit.slot))
    return InFlightEffect(
      id: fibers[slot].number, parent: visit.position.parent, depth: visit.position.depth,
      tree: fibers[fibers[slot].root].number,
      identifier: identifier ?? visit.identifier, label: fibers[slot].label ?? visit.label,
      fibers[slot].waitingEffect ?? fibers[slot].effect,
      EffectWait(fibers[slot].waitReason, identifiersAwaited(by: slot), position: position),
      isAwaited: visit.isAwaited ?? fibers[slot].flags.contains(.attached),
      origin: fibers[slot].origin.map { fibers[$0].number },
      age: .nanoseconds(max(0, fibers[slot].begun.distance(to: now))), remaining: remaining,
      isCancelled: fibers[slot].flags.contains(.cancelled))
  }
}

extension Machine<EffectProgram> {
  /// The identifiers that a fiber waits for.
  fileprivate func identifiersAwaited(by slot: FiberSlot) -> [EffectID] {
    switch fibers[slot].activity {
    case .queued, .throttled:
      return identifier(of: slot).map { [$0] } ?? []
    case .joining(let remaining, let joined):
      // Some registrations may have ended, and other identifiers may have taken their slots.
      let isWhole = Int(remaining) == joined.count
      let id = id(of: slot)
      let awaited = isWhole ? joined : joined.filter { registry[$0].joiners.ids.contains(id) }
      return awaited.compactMap { registry[$0].identifier }
    case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .retrying, .deciding, .backingOff,
      .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .ticking,
      .emitting:
      return []
    }
  }
}

/// The position of an effect in the printed tree.
private struct TreePosition {
  var depth = 0
  var parent: UInt64?
}

/// A fiber to visit in the live tree, with the names of the unlisted frames around it.
private struct Visit {
  var slot: FiberSlot
  var position: TreePosition
  var isOnlyChild = false
  /// True if a shutdown is known to have something to cancel here.
  var needsCancel = false
  var identifier: EffectID?
  var label: String?
  /// True if something waits for the outermost of those frames.
  var isAwaited: Bool?
}

extension Fiber<EffectProgram> {
  /// For a scope that has not begun, the effect that will begin here.
  fileprivate var waitingEffect: EffectDescription? {
    let body: EffectNode? =
      switch activity {
      case .queued(_, let body): body.node
      case .throttled: program?.node
      case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .retrying, .deciding, .backingOff,
        .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .joining,
        .ticking, .emitting:
        nil
      }
    return body.map { $0.count == 1 ? $0.describe(at: 0) : $0.summary }
  }
}

extension Fiber {
  /// The kind of reason for which the fiber waits.
  fileprivate var waitReason: EffectWait.Reason {
    if flags.contains(.settled) { return firstChild.exists ? .detached : .cleanup }
    return switch activity {
    case .ready, .evaluating: .nothing
    case .operating, .folded: flags.contains(.lifts) ? .otherStore : .operation
    case .handling, .deciding: .handler
    case .sleeping, .ticking, .window: .deadline
    case .backingOff: .backOff
    case .waiting, .finalizing, .sequencing, .undoing, .compensating, .merging, .racing, .bounding, .retrying:
      .children
    case .queued(let width, _): width == 0 ? .cleanup : .place
    case .throttled: .window
    case .joining: .join
    case .turn: .turn
    case .emitting: .values
    }
  }
}
