/// The order of effects under one identifier, where a replacement sets off another one.
///
/// Laws 6 and 10. Events: none of its own. Activities: `ready`.
///
/// A scope that replaces others begins after the consequences of their cancel, and holds its identifier before it
/// begins. A consequence that starts under the same identifier would cancel it unbegun.
extension Machine {
  /// Has a scope begin that waits for the consequences of its own start, before a consequence replaces it.
  ///
  /// So the prefix of every effect is committed, unless it is cancelled.
  ///
  /// - Returns: true if there is one. The fiber comes back to its effect then.
  mutating func letBegin(_ scope: FiberSlot, before slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    if let height = heightBelow(scope, on: ready) {
      pass.charge(ready.count - height)
      ready.insert(id(of: slot), at: height)
    } else {
      // What is received meanwhile doesn't wait for a suspended pass, since its own prefix has to be complete.
      guard pass.tree != id(of: fibers[slot].root) else { return false }
      guard let suspension = suspensions.first(where: { heightBelow(scope, on: $0.ready) != nil }),
        let height = heightBelow(scope, on: suspension.ready)
      else { return false }
      suspension.ready.insert(id(of: slot), at: height)
    }
    fibers[slot].cursor -= 1
    fibers[slot].flags.formUnion([.onReadyStack, .replacesLater])
    return true
  }

  /// Returns the place on a ready stack below a scope, and below those that are to replace it already.
  private func heightBelow(_ scope: FiberSlot, on stack: borrowing UniqueArray<FiberID>) -> Int? {
    let id = id(of: scope)
    var height = stack.count
    repeat {
      guard height > 0 else { return nil }
      height -= 1
    } while stack[height] != id
    while height > 0, isAlive(stack[height - 1]), fibers[stack[height - 1].slot].flags.contains(.replacesLater) {
      height -= 1
    }
    return height
  }
}
