/// Draining, a stop that loses nothing: sources end, effects in flight go on, and those that are cancelled in the end
/// clean up.
///
/// Law 19. Events: `drainingBegan`, `treeDrainingBegan`, `drainingEnded`, `allCancelledSparingCleanup`. Activities:
/// `ticking`, `emitting`; `operating` for a lift.
extension Machine {
  /// Stops timers and sources, now and from here on; the effects that they have begun go on.
  mutating func drainingBegan(_ pass: inout Pass<P>) {
    guard !isDraining else { return }
    isDraining = true
    for slot in fibers.slots { stopSource(slot, &pass) }
    step(&pass)
  }

  /// Stops the timers and sources of one tree, now and from here on, because the store drains that has lifted it.
  mutating func treeDrainingBegan(_ root: FiberID, _ pass: inout Pass<P>) {
    guard isAlive(root), fibers[root.slot].rare?.isDraining != true else { return }
    fibers.makeRare(of: root.slot).isDraining = true
    for id in tree(of: root.slot) where isAlive(id) { stopSource(id.slot, &pass) }
    step(&pass)
  }

  mutating func drainingEnded() { isDraining = false }

  /// Returns a fiber and all that are below it, parents before children.
  private func tree(of top: FiberSlot) -> [FiberID] {
    var found: [FiberID] = []
    var current = top
    while true {
      found.append(id(of: current))
      if fibers[current].firstChild.exists {
        current = fibers[current].firstChild
        continue
      }
      while current != top, !fibers[current].next.exists { current = fibers[current].parent }
      if current == top { return found }
      current = fibers[current].next
    }
  }

  private mutating func stopSource(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard fibers[slot].flags.isDisjoint(with: [.cancelled, .settled, .ended, .stopped]) else { return }
    switch fibers[slot].activity {
    case .ticking:
      deadlines.remove(slot)
      traceEnd(of: slot, .cancelled, &pass)
      fibers[slot].activity = .waiting
      if fibers[slot].pending == 0 { settle(slot, &pass) } else { fibers[slot].releaseAll(to: &released) }
    case .operating, .emitting:
      // The timers and sources of the other store that are part of it stop there; what they have begun goes on.
      if fibers[slot].flags.contains(.lifts) { return pass.directives.append(.drain(id(of: slot))) }
      guard case .emitting = fibers[slot].activity else { return }
      // Like a cancelled source, it is over when its task has returned.
      fibers[slot].flags.insert(.stopped)
      cancelCall(of: slot, &pass)
    case .ready, .evaluating, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding, .backingOff,
      .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .queued,
      .joining:
      break
    }
  }

  /// Cancels everything but cleanups, and what cancelled trees have left behind; the cancelled effects clean up.
  mutating func allCancelledSparingCleanup(_ pass: inout Pass<P>) {
    for root in fibers.roots where isAlive(root) && fibers[root.slot].rare?.origin.exists != true {
      if !isSpared(root.slot), !isAboutToSettle(root.slot) { cancelSubtree(root.slot, &pass) }
    }
    noteCancel(&pass)
    step(&pass)
  }

  /// True for a tree that has done everything, and whose pass is suspended: for example a cancel, while its barrier is
  /// on its way into other stores.
  func isAboutToSettle(_ root: FiberSlot) -> Bool {
    guard case .ready = fibers[root].activity else { return false }
    return !fibers[root].parent.exists && !fibers[root].firstChild.exists && !hasMoreToDo(root)
  }
}
