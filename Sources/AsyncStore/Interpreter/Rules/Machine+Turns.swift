/// Turns: commits of a store that is bound to an actor wait for that actor, in the order of their arrival.
///
/// Law 6. Events: `turnCame`. Activities: `turn`.
extension Machine {
  /// Continues the fibers that wait for the actor that commits happen on, one by one; called on that actor.
  ///
  /// The method stops when the shell has to do something first. The remaining fibers then stay in line, so that nothing
  /// that arrives meanwhile can commit before them, and the shell reports the event again. The method also stops before
  /// and after an effect that follows from a delivery.
  ///
  /// - Returns: true if it stopped only at an effect that follows from a delivery, so that the event may be reported
  ///   again at once.
  @discardableResult
  mutating func turnCame(_ pass: inout Pass<P>) -> Bool {
    var last: Turn?
    while !pass.isInterrupted, let turn = turns.oldest {
      if let last, last.followsDelivery || turn.followsDelivery { return true }
      last = turns.popFirst()
      let id = turn.fiber
      guard isAlive(id) else { continue }
      if !isCancelled(id), case .turn = fibers[id.slot].activity { traceWaitEnd(.turn, of: id.slot, &pass) }
      makeReady(id.slot)
      step(&pass)
    }
    return false
  }

  /// Makes a fiber wait, at the same effect, for the actor that commits happen on.
  mutating func waitForTurn(_ slot: FiberSlot, _ pass: inout Pass<P>) -> Progress {
    fibers[slot].cursor -= 1
    fibers[slot].keepNextEffect(to: &released)
    fibers[slot].activity = .turn
    pass.directives.append(.awaitTurn(id(of: slot), isFirst: turns.isEmpty))
    turns.append(Turn(fiber: id(of: slot), followsDelivery: pass.followsDelivery))
    traceWait(.turn, of: slot, &pass)
    pass.hasWaits = true
    return .stopped
  }
}
