/// Suspension: giving up the lock in the middle of a pass.
///
/// Laws 7 and 11. Events: none of its own; a suspended pass resumes. Activities: `ready`.
///
/// A pass has a number of steps. When they are used up, or when something has to happen in other stores first, the
/// fibers that are ready leave the machine with a ``Suspension``. Other threads' events then find a machine without
/// ready fibers, as they always do, and the pass goes on when its thread has the lock again.
extension Machine {
  /// Takes the fibers that are still to step out of the machine.
  ///
  /// Called only if a fiber is ready; otherwise the pass is complete.
  mutating func suspend(_ pass: borrowing Pass<P>) -> Suspension {
    let suspension = Suspension(pass.resumption)
    swap(&ready, &suspension.ready)
    suspensions.append(suspension)
    return suspension
  }

  /// Continues a suspended pass.
  ///
  /// - Parameter passingBarriers: true if it goes on behind barriers that still have to reach other stores.
  mutating func resume(_ suspension: Suspension, passingBarriers: Bool = false, _ pass: inout Pass<P>) {
    suspensions.removeAll { $0 === suspension }
    swap(&ready, &suspension.ready)
    pass.resume(suspension.resumption, passingBarriers: passingBarriers)
    step(&pass)
  }

  /// Lets a parent go on after a child has settled.
  ///
  /// The first pass of the parent's tree may be suspended, and this may be another pass, which has cancelled the child
  /// by its identifier. Then the parent goes on with its own tree's pass, so that the `receive` of that tree returns no
  /// sooner than its prefix is complete. A child that has ended by itself has mostly waited, and what follows it is no
  /// part of that prefix: that waits for nobody.
  ///
  /// - Parameters:
  ///   - isCutShort: true if the child was cancelled by its identifier.
  ///   - stepped: the tree whose prefix the current pass is part of, if there is one.
  mutating func scheduleParent(_ slot: FiberSlot, isCutShort: Bool, stepping stepped: FiberID?) {
    guard isCutShort, !suspensions.isEmpty, !fibers[slot].flags.contains(.onReadyStack) else { return schedule(slot) }
    let tree = id(of: fibers[slot].root)
    guard stepped != tree, let index = suspensions.firstIndex(where: { $0.resumption.tree == tree }) else {
      return schedule(slot)
    }
    fibers[slot].flags.insert(.onReadyStack)
    suspensions[index].ready.append(id(of: slot))
  }

  mutating func makeParentReady(_ slot: FiberSlot, isCutShort: Bool, stepping stepped: FiberID?) {
    fibers[slot].activity = .ready
    scheduleParent(slot, isCutShort: isCutShort, stepping: stepped)
  }

  /// Records that the consequences of the fiber are part of its tree's prefix.
  func noteTree(of id: FiberID, _ pass: inout Pass<P>) {
    if isAlive(id) { pass.tree = self.id(of: fibers[id.slot].root) }
  }
}
