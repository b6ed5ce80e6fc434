/// The order of replacements under one identifier when cancelling the old scope starts another.
///
/// Laws 6 and 10. Events: none of its own. Activities: `ready`.
///
/// A scope that replaces others takes their identifier first, and begins after the consequences of their cancel. A
/// consequence that starts under the same identifier would cancel the scope before it begins.
extension Machine {
  /// Lets a scope that holds its identifier but has not begun run its prefix before the fiber `slot` replaces it.
  ///
  /// This commits the prefix of every effect that is not cancelled.
  ///
  /// - Returns: true if the fiber has to try again afterwards.
  mutating func letBegin(_ scope: FiberSlot, before slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    let id = id(of: scope)
    // A newly received effect does not wait for the suspended pass: its prefix is complete when `receive` returns.
    let isLater = isSuspended(id)
    if pass.tree == self.id(of: fibers[slot].root), isLater { return false }
    // The fiber then continues in another call, and needs its own tree's task-local values.
    if isLater { pass.hasWaits = true }
    fibers[slot].cursor -= 1
    fibers[slot].flags.insert(.scheduled)
    var replacers = self.replacers.take() ?? [:]
    replacers[id, default: []].append(self.id(of: slot))
    self.replacers = replacers
    return true
  }

  private func isSuspended(_ id: FiberID) -> Bool {
    suspensions.contains { suspension in (0..<suspension.ready.count).contains { suspension.ready[$0] == id } }
  }

  /// Continues the fibers that replace a scope, in order, after what the scope does now.
  mutating func scheduleReplacers(_ id: FiberID) {
    guard let fibers = replacers?.removeValue(forKey: id) else { return }
    if replacers?.isEmpty == true { replacers = nil }
    // The ready stack is last in, first out.
    for id in fibers.reversed() { ready.append(id) }
  }
}
