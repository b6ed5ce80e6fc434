/// Suspension: giving up the lock in the middle of a pass.
///
/// Laws 7 and 11. Events: none of its own; a suspended pass resumes. Activities: `ready`.
///
/// A pass has a number of steps. When they are used up, or when something has to happen in other stores first, the
/// ready fibers leave the machine with a ``Suspension``. Events of other threads then find a machine without ready
/// fibers, as they always do, and the pass continues when its thread has the lock again.
extension Machine {
  /// Removes the fibers that are still to be stepped from the machine.
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
  /// - Parameter passingBarriers: true if the pass continues although barriers have not reached other stores yet.
  mutating func resume(_ suspension: Suspension, passingBarriers: Bool = false, _ pass: inout Pass<P>) {
    suspensions.removeAll { $0 === suspension }
    swap(&ready, &suspension.ready)
    pass.resume(suspension.resumption, passingBarriers: passingBarriers)
    step(&pass)
  }

  /// Continues a parent after a child has settled.
  ///
  /// The first pass of the parent's tree may be suspended while another pass cancels the child by its identifier. The
  /// parent then continues in its own tree's pass, so that the `receive` of that tree does not return before its prefix
  /// is complete. A child that ended by itself has usually waited, so its consequences are not part of that prefix and
  /// need not wait for the suspended pass.
  ///
  /// - Parameters:
  ///   - isCutShort: true if the child was cancelled by its identifier.
  ///   - stepped: the tree whose prefix the current pass is part of, if there is one.
  mutating func scheduleParent(_ slot: FiberSlot, isCutShort: Bool, stepping stepped: FiberID?) {
    guard isCutShort, !suspensions.isEmpty, !fibers[slot].flags.contains(.scheduled) else { return schedule(slot) }
    let tree = id(of: fibers[slot].root)
    guard stepped != tree, let index = suspensions.firstIndex(where: { $0.resumption.tree == tree }) else {
      return schedule(slot)
    }
    fibers[slot].flags.insert(.scheduled)
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
