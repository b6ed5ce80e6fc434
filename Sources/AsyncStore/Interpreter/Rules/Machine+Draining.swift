/// Draining, a stop that loses nothing: sources end, effects in flight continue, and effects cancelled at the end clean
/// up.
///
/// Law 19. Events: `drainingBegan`, `drainingEnded`, `treeDrainingBegan`, `treeDrainingEnded`,
/// `allCancelledSparingCleanup`. Activities: `ticking`, `emitting`, `waiting`; `operating` for a lift.
extension Machine {
  /// Stops timers and sources from here on; effects that they have begun continue.
  mutating func drainingBegan(_ pass: inout Pass<P>) {
    guard !isDraining else { return }
    isDraining = true
    for slot in fibers.slots { stopSource(slot, &pass) }
    step(&pass)
  }

  /// Stops the timers and sources of one tree from here on, because the store that lifted the tree drains.
  mutating func treeDrainingBegan(_ root: FiberID, _ pass: inout Pass<P>) {
    guard isAlive(root), fibers[root.slot].rare?.pointee.isDraining != true else { return }
    fibers.makeRare(of: root.slot).pointee.isDraining = true
    for id in treeAndCleanups(of: root.slot) where isAlive(id) { stopSource(id.slot, &pass) }
    step(&pass)
  }

  /// Lets timers and sources begin again; those already stopped stay stopped.
  mutating func drainingEnded(_ pass: inout Pass<P>) {
    guard isDraining else { return }
    isDraining = false
    for slot in fibers.slots { passOnDraining(of: slot, &pass) }
  }

  /// Lets timers and sources of one tree begin again, because the store that lifted the tree is active again.
  mutating func treeDrainingEnded(_ root: FiberID, _ pass: inout Pass<P>) {
    guard isAlive(root), fibers[root.slot].rare?.pointee.isDraining == true else { return }
    fibers[root.slot].rare?.pointee.isDraining = false
    for id in treeAndCleanups(of: root.slot) { passOnDraining(of: id.slot, &pass) }
  }

  private func canStop(_ slot: FiberSlot) -> Bool {
    fibers[slot].flags.isDisjoint(with: [.cancelled, .settled, .ended, .stopped])
  }

  /// Returns the fibers of a tree, and, if it was cancelled as a whole, of the cleanups that it has left behind.
  ///
  /// A cleanup that has settled is no longer part of the tree, even if its remains have not ended.
  private func treeAndCleanups(of root: FiberSlot) -> [FiberID] {
    var found = tree(of: root)
    for cleanup in fibers[root].rare?.pointee.cleanupRoots ?? []
    where isAlive(cleanup) && fibers[cleanup.slot].origin != nil {
      found += tree(of: cleanup.slot)
    }
    return found
  }

  /// Returns the root of the tree that this root cleans up after, or this root if it is not a cleanup.
  func mainRoot(of root: FiberSlot) -> FiberSlot {
    var root = root
    while let origin = fibers[root].origin { root = fibers[origin].root }
    return root
  }

  /// Returns a fiber and its descendants, parents before children.
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
    // The lift's timers and sources in the other store stop there; effects that they have begun continue.
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

  /// Cancels everything except cleanups and what cancelled trees have left behind; the cancelled effects clean up.
  mutating func allCancelledSparingCleanup(_ pass: inout Pass<P>) {
    for root in fibers.roots where isAlive(root) && fibers[root.slot].rare?.pointee.origin.exists != true {
      if !isSpared(root.slot), !isAboutToSettle(root.slot) { cancelSubtree(root.slot, &pass) }
    }
    noteCancel(&pass)
    step(&pass)
  }

  /// Returns whether a tree has done everything and only its pass is suspended, for example at a cancel whose barrier
  /// is spreading into other stores.
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
