/// Giving up the lock in the middle of a pass.
///
/// A pass has a number of steps. When they are used up, or when something has to happen in other stores first, the
/// fibers that are ready leave the machine with a ``Suspension``. Other threads' events then find a machine without
/// ready fibers, as they always do, and the pass goes on when its thread has the lock again.
extension Machine {
  /// Takes what is still to be stepped out of the machine.
  ///
  /// Only where something is ready: else the pass is complete.
  mutating func suspend(_ pass: Pass<P>) -> Suspension {
    let suspension = Suspension(pass.resumption)
    swap(&ready, &suspension.ready)
    suspensions.append(suspension)
    return suspension
  }

  /// Steps on from where a pass was suspended.
  mutating func resume(_ suspension: Suspension, _ pass: inout Pass<P>) {
    suspensions.removeAll { $0 === suspension }
    swap(&ready, &suspension.ready)
    pass.resume(suspension.resumption)
    step(&pass)
  }

  /// Has a parent go on whose child has settled.
  ///
  /// The tree may be one whose first pass is suspended, and this the pass of another tree that has cancelled a member
  /// of it: then it goes on with its own pass, so that its `receive` returns no sooner than its prefix is complete.
  ///
  /// - Parameter stepped: the tree whose prefix the present pass is part of.
  mutating func scheduleParent(_ slot: FiberSlot, stepping stepped: FiberID?) {
    guard !suspensions.isEmpty, !fibers[slot].flags.contains(.onReadyStack) else { return schedule(slot) }
    let tree = id(of: fibers[slot].root)
    guard stepped != tree, let suspension = suspensions.first(where: { $0.resumption.tree == tree }) else {
      return schedule(slot)
    }
    fibers[slot].flags.insert(.onReadyStack)
    suspension.ready.append(id(of: slot))
  }

  mutating func makeParentReady(_ slot: FiberSlot, stepping stepped: FiberID?) {
    fibers[slot].activity = .ready
    scheduleParent(slot, stepping: stepped)
  }

  /// What the fiber leads to is part of its tree's prefix.
  func noteTree(of id: FiberID, _ pass: inout Pass<P>) {
    if isAlive(id) { pass.tree = self.id(of: fibers[id.slot].root) }
  }

  /// A cancel has passed: if its barrier has to reach other stores, or an earlier one still is on its way there,
  /// nothing more happens before it has.
  func standStillForBarrier(_ pass: inout Pass<P>) {
    pass.hasCancelled = true
    if isSpreadingBarrier { pass.standStill() }
  }
}

/// The fibers that a pass has still to step, while other threads have the lock.
final class Suspension {
  var ready = UniqueArray<FiberID>()
  let resumption: PassResumption

  init(_ resumption: PassResumption) { self.resumption = resumption }
}

/// What a pass goes on with.
struct PassResumption {
  /// The tree whose prefix the pass is part of, if it is.
  var tree: FiberID?
  /// The time of the event.
  var instant: Moment?
  var hasWaits: Bool
}
