/// Effects that wait until nothing is in flight under an identifier.
///
/// Law 8: a cancel leaves joiners alone. Events: none of its own. Activities: `joining`.
extension Machine {
  /// - Returns: true if there is anything to wait for.
  mutating func join(_ selection: Selection<P.Identifier>, _ slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    var joined = registrations(selectedBy: selection, &pass).filter { !registry[$0].isIdle }
    // A scope that contains the joiner can't end before the joiner does.
    if !joined.isEmpty { joined = registrations(joined, notAround: slot, &pass) }
    if !joined.isEmpty { joined = withoutCycles(joined, slot, &pass) }
    guard !joined.isEmpty else { return false }
    for registration in joined { registry[registration].joiners.append(id(of: slot)) }
    counts.joins += 1
    fibers[slot].keepEffect(to: &released)
    fibers[slot].activity = .joining(remaining: Int32(joined.count), joined)
    pass.hasWaits = true
    keep(pass.followed, of: slot)
    traceBegin(of: slot, &pass)
    return true
  }

  mutating func notifyJoiners(of registration: RegistrationSlot, _ pass: inout Pass<P>) {
    for id in registry[registration].joiners.removeAll().reversed() where !isCancelled(id) { endWait(of: id, &pass) }
  }

  /// Ends a joiner's wait for one of the registrations that it joins.
  mutating func endWait(of id: FiberID, _ pass: inout Pass<P>) {
    guard case .joining(let remaining, let joined) = fibers[id.slot].activity else { return }
    guard remaining == 1 else {
      fibers[id.slot].activity = .joining(remaining: remaining - 1, joined)
      return
    }
    counts.joins -= 1
    traceEnd(of: id.slot, .finished, &pass)
    makeReady(id.slot)
  }

  /// Lets a cancelled joiner leave the lists of the registrations that it joined.
  mutating func leaveJoined(_ joined: [RegistrationSlot]) {
    for registration in joined where registration.index < registry.count {
      guard registry[registration].joiners.noteCancelled() else { continue }
      let joiners = registry[registration].joiners.ids.filter { !isCancelled($0) }
      registry[registration].joiners.keep(joiners)
    }
  }
}
