/// The bookkeeping of barriers under a store's lock: those that start here, and the cancels that send them.
extension Core {
  /// Records, at the end of a pass, the barriers that have to reach other stores before anything else happens.
  mutating func noteLatches(_ chores: inout Chores) {
    // Even if there is no run to ask: this cancel may have been called by a cancellation handler, and then has to
    // finish the work of the outer cancel (see `CancelQueue`).
    if pass.hasCancelled { chores.makeCancels() }
    guard machine.isSpreadingBarrier else { return }
    // Everything that a thread defers arrives in one wave.
    let ownLatch = currentLatch ?? (pass.passesBarriers ? DeferredWork.latch : nil)
    let others = latches.filter { $0 !== ownLatch }
    if pass.steps == 0 || pass.passesBarriers && pass.hasCancelled, !others.isEmpty {
      chores.makeCancels()
      chores.cancels?.otherLatches = others
    }
    if chores.cancels?.runs.contains(where: \.isLift) == true {
      let latch = ownLatch ?? Latch()
      chores.cancels?.ownLatch = latch
      if !latches.contains(where: { $0 === latch }) {
        chores.cancels?.standsStill = true
        latches.append(latch)
      }
    }
    machine.isSpreadingBarrier = !latches.isEmpty
  }

  mutating func endWave(_ latch: Latch) {
    latches.removeAll { $0 === latch }
    machine.isSpreadingBarrier = !latches.isEmpty
  }

  /// Cancels one received tree.
  ///
  /// A tree that has not begun yet finds, under the lock, that it is cancelled.
  mutating func cancel(_ tree: TreeContext) {
    if let root = tree.root { machine.treeCancelled(root, &pass) } else { machine.noteCancel(&pass) }
  }
}
