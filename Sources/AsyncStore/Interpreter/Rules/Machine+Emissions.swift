/// The order of a source's effects when one of them takes very long and continues in a task.
///
/// Laws 11, 16 and 17. Events: `emissionDelayed`, `emissionEnded`, `emissionsContinued`. Activities: none.
///
/// The effects of later values wait until the parts of the long effect that run in tasks have ended. Then the shell
/// begins the waiting effects one by one, because each may take very long itself.
extension Machine {
  /// Makes the next effects of a source wait for one of its effects, part of which continues in a task.
  ///
  /// - Parameter child: the fiber that runs the effect.
  mutating func emissionDelayed(_ id: FiberID, by child: FiberID) {
    guard !isCancelled(id), !isCancelled(child), !fibers[child.slot].flags.contains(.settled) else { return }
    let known = fibers[id.slot].rare?.pointee.emissions
    if known == nil {
      // Under any other strategy, the next effects wait for the whole effect anyway, or for nothing.
      guard !fibers[id.slot].flags.contains(.ended), case .each = strategy(of: id.slot) else { return }
    }
    var emissions = known ?? EmissionOrder()
    emissions.parts = emissions.current == child ? emissions.parts + 1 : 1
    emissions.current = child
    fibers.makeRare(of: id.slot).pointee.emissions = emissions
  }

  /// Records that a part running in a task has ended.
  ///
  /// - Returns: true if effects have waited for it; the caller has to begin them by calling `emissionsContinued`.
  mutating func emissionEnded(_ id: FiberID, of child: FiberID) -> Bool {
    guard isAlive(id), let rare = fibers[id.slot].rare, var emissions = rare.pointee.emissions,
      emissions.current == child
    else { return false }
    emissions.parts -= 1
    if emissions.parts == 0 { emissions.current = nil }
    let isFree = emissions.current == nil && !emissions.areContinued
    emissions.areContinued = emissions.areContinued || isFree && !rare.pointee.backlog.isEmpty
    rare.pointee.emissions = isFree && rare.pointee.backlog.isEmpty ? nil : emissions
    return isFree && !rare.pointee.backlog.isEmpty
  }

  /// Begins the next waiting effect.
  ///
  /// The caller reports the event again when the effect's pass has ended.
  ///
  /// - Returns: the fiber that runs the effect; `nil` if none waits, or if the previous one continues in a task.
  mutating func emissionsContinued(_ id: FiberID, _ pass: inout Pass<P>) -> FiberID? {
    guard isAlive(id), let rare = fibers[id.slot].rare, let emissions = rare.pointee.emissions else { return nil }
    guard emissions.current == nil, let next = rare.pointee.backlog.popFirst() else {
      if emissions.current == nil { rare.pointee.emissions = nil } else { rare.pointee.emissions?.areContinued = false }
      return nil
    }
    let child = beginChild(running: next, of: id.slot, boundary: true, &pass)
    keep(rare.pointee.lineages.popFirst() ?? nil, of: child)
    let childID = self.id(of: child)
    step(&pass)
    return childID
  }
}
