/// The order of a source's effects where one of them takes very long, and goes on in a task.
///
/// Laws 11, 16 and 17. Events: `emissionDelayed`, `emissionEnded`, `emissionsContinued`. Activities: `emitting`.
///
/// The effects of the next values wait until the parts of that one have ended that go on in tasks. Then the shell
/// begins them, one after the other, because each may become very long itself.
extension Machine {
  /// Lets the next effects of a source wait for one of them, a part of which goes on in a task.
  ///
  /// - Parameter child: the fiber that runs the effect.
  mutating func emissionDelayed(_ id: FiberID, by child: FiberID) {
    guard !isCancelled(id), !isCancelled(child), !fibers[child.slot].flags.contains(.settled) else { return }
    let known = fibers[id.slot].rare?.pointee.emissions
    if known == nil {
      // With another strategy the next effects wait for all of it anyway, or for nothing.
      guard !fibers[id.slot].flags.contains(.ended), case .each = strategy(of: id.slot) else { return }
    }
    var emissions = known ?? EmissionOrder()
    emissions.parts = emissions.current == child ? emissions.parts + 1 : 1
    emissions.current = child
    fibers.makeRare(of: id.slot).pointee.emissions = emissions
  }

  /// Records that such a part has ended.
  ///
  /// - Returns: true if effects have waited for it, which the caller has to begin, by `emissionsContinued`.
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

  /// Begins the next of the effects that have waited; the caller reports the event again when its pass has ended.
  ///
  /// - Returns: the fiber that runs it, or `nil` if there is none, or if the one before goes on in a task.
  mutating func emissionsContinued(_ id: FiberID, _ pass: inout Pass<P>) -> FiberID? {
    guard isAlive(id), let rare = fibers[id.slot].rare, let emissions = rare.pointee.emissions else { return nil }
    guard emissions.current == nil, let next = rare.pointee.backlog.popFirst() else {
      if emissions.current == nil { rare.pointee.emissions = nil } else { rare.pointee.emissions?.areContinued = false }
      return nil
    }
    let child = beginChild(running: next, of: id.slot, boundary: true, &pass)
    keep(rare.pointee.lineages.popFirst(), of: child)
    let childID = self.id(of: child)
    step(&pass)
    return childID
  }
}
