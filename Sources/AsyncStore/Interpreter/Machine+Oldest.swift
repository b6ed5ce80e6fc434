/// The age of the oldest effect, for the health of a service.
extension Machine {
  /// Returns the moment at which the oldest unsettled tree, or cleanup of a cancelled tree, began.
  ///
  /// Roots are in the order in which they began. A settled root stays in the list while its tree has detached effects,
  /// and never counts again, so that each search begins where the last one ended.
  ///
  /// - Complexity: constant, on average over all calls and all trees.
  mutating func findOldestUnsettled() -> Moment? {
    guard counts.unsettledTrees > 0 || counts.lateTrees > 0 || counts.treeCleanups > 0 else { return nil }
    let passed = fibers.lastPassedRoot
    var root = passed.exists ? fibers[passed].next : fibers.firstRoot
    while root.exists, isPassed(root) {
      fibers.lastPassedRoot = root
      root = fibers[root].next
    }
    return root.exists ? fibers[root].begun : nil
  }

  /// Returns whether a root's tree has settled, or is neither a received tree nor the cleanup of one.
  func isPassed(_ root: FiberSlot) -> Bool {
    let flags = fibers[root].flags
    if flags.contains(.settled) { return !flags.contains(.settlesLate) }
    return flags.contains(.silent) && fibers[root].origin == nil
  }
}
