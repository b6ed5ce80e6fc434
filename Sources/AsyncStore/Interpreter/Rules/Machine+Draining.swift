/// Draining, a stop that loses nothing: sources end, effects in flight go on, and those that are cancelled in the end
/// clean up.
///
/// Law 19. Events: `drainingBegan`, `drainingEnded`, `treeDrainingBegan`, `treeDrainingEnded`,
/// `allCancelledSparingCleanup`. Activities: `ticking`, `emitting`; `operating` for a lift.
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
    guard isAlive(root), fibers[root.slot].rare?.pointee.isDraining != true else { return }
    fibers.makeRare(of: root.slot).pointee.isDraining = true
    for id in treeAndCleanups(of: root.slot) where isAlive(id) { stopSource(id.slot, &pass) }
    step(&pass)
  }

  /// Lets timers and sources begin again; those that have stopped stay so.
  mutating func drainingEnded(_ pass: inout Pass<P>) {
    guard isDraining else { return }
    isDraining = false
    for slot in fibers.slots { passOnDraining(of: slot, &pass) }
  }

  /// Lets timers and sources of one tree begin again, because the store that has lifted it is active again.
  mutating func treeDrainingEnded(_ root: FiberID, _ pass: inout Pass<P>) {
    guard isAlive(root), fibers[root.slot].rare?.pointee.isDraining == true else { return }
    fibers[root.slot].rare?.pointee.isDraining = false
    for id in treeAndCleanups(of: root.slot) { passOnDraining(of: id.slot, &pass) }
  }

  private func canStop(_ slot: FiberSlot) -> Bool {
    fibers[slot].flags.isDisjoint(with: [.cancelled, .settled, .ended, .stopped])
  }

  /// Returns the fibers of a tree, and of the cleanups that it has left behind if it was cancelled as a whole.
  ///
  /// A cleanup that has settled is no part of the tree any more, even if its remains have not ended.
  private func treeAndCleanups(of root: FiberSlot) -> [FiberID] {
    var found = tree(of: root)
    for cleanup in fibers[root].rare?.pointee.cleanupRoots ?? []
    where isAlive(cleanup) && fibers[cleanup.slot].origin != nil {
      found += tree(of: cleanup.slot)
    }
    return found
  }

  /// Returns the root of the tree that a root cleans up after, or else this root.
  func mainRoot(of root: FiberSlot) -> FiberSlot {
    var root = root
    while let origin = fibers[root].origin { root = fibers[origin].root }
    return root
  }

  /// Returns a fiber and all that are below it, parents before children.
  private func tree(of top: FiberSlot) -> [FiberID] {
    var found: [FiberID] = []
    var current = top
    while current.exists {
      found.append(id(of: current))
      current = fibers.next(after: current, below: top)
    }
    return found
  }

  private mutating func stopSource(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    // The timers and sources of the other store that are part of it stop there; what they have begun goes on.
    guard !passOnDraining(of: slot, &pass), canStop(slot) else { return }
    switch fibers[slot].activity {
    case .ticking:
      deadlines.remove(slot)
      traceEnd(of: slot, .cancelled, &pass)
      fibers[slot].activity = .waiting
      if fibers[slot].pending == 0 { settle(slot, &pass) } else { fibers[slot].releaseAll(to: &released) }
    case .emitting:
      // Like a cancelled source, it is over when its task has returned.
      fibers[slot].flags.insert(.stopped)
      cancelCall(of: slot, &pass)
    case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding,
      .backingOff, .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating,
      .queued, .joining:
      break
    }
  }

  /// Cancels everything but cleanups, and what cancelled trees have left behind; the cancelled effects clean up.
  mutating func allCancelledSparingCleanup(_ pass: inout Pass<P>) {
    for root in fibers.roots where isAlive(root) && fibers[root.slot].rare?.pointee.origin.exists != true {
      if !isSpared(root.slot), !isAboutToSettle(root.slot) { cancelSubtree(root.slot, &pass) }
    }
    noteCancel(&pass)
    step(&pass)
  }

  /// True for a tree that has done everything, and whose pass is suspended: for example a cancel, while its barrier is
  /// on its way into other stores.
  func isAboutToSettle(_ root: FiberSlot) -> Bool {
    var last = root
    while fibers[last].firstChild.exists {
      let child = fibers[last].firstChild
      guard case .waiting = fibers[last].activity, !hasMoreToDo(last), !fibers[child].next.exists,
        fibers[child].flags.intersection([.attached, .endIsIgnored]) == .attached
      else { return false }
      last = child
    }
    return isBeforeItsEnd(last)
  }
}
