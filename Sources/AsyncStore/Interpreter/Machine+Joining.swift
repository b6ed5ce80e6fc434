extension Machine {
  /// - Returns: whether there is anything to wait for.
  mutating func join(_ selection: Selection<P.Identifier>, _ slot: Int32, _ pass: inout Pass<P>) -> Bool {
    var joined: [Int32] = []
    for registration in registrations(selectedBy: selection) {
      // A scope that the joiner is part of can't end before the joiner does.
      if !registrations[Int(registration)].isIdle, !isPart(slot, of: registration) { joined.append(registration) }
    }
    if !joined.isEmpty { joined = withoutCircles(joined, slot, &pass) }
    guard !joined.isEmpty else { return false }
    for registration in joined { registrations[Int(registration)].joiners.append(id(of: slot)) }
    joinCount += 1
    strands[Int(slot)].activity = .joining(remaining: Int32(joined.count), joined)
    pass.hasWaits = true
    traceBegin(of: slot, &pass)
    return true
  }

  mutating func tellJoiners(of registration: Int32, _ pass: inout Pass<P>) {
    let joiners = registrations[Int(registration)].joiners
    guard !joiners.isEmpty else { return }
    registrations[Int(registration)].joiners = []
    registrations[Int(registration)].formerJoiners = 0
    for id in joiners.reversed() where !isCancelled(id) { endWait(of: id, for: registration, &pass) }
  }

  /// A joiner has no longer to wait for this one of those that it joins.
  mutating func endWait(of id: StrandID, for registration: Int32, _ pass: inout Pass<P>) {
    guard case .joining(let remaining, let joined) = strands[Int(id.slot)].activity else { return }
    guard remaining == 1 else {
      strands[Int(id.slot)].activity = .joining(remaining: remaining - 1, joined)
      return
    }
    joinCount -= 1
    traceEnd(of: id.slot, .finished, &pass)
    makeReady(id.slot)
  }

  /// A joiner is cancelled.
  ///
  /// The lists forget it at the latest when half of those in them have gone.
  mutating func leaveJoined(_ joined: [Int32]) {
    for registration in joined where registration < registrations.count {
      registrations[Int(registration)].formerJoiners += 1
      let count = registrations[Int(registration)].joiners.count
      guard registrations[Int(registration)].formerJoiners * 2 >= count else { continue }
      let joiners = registrations[Int(registration)].joiners.filter { !isCancelled($0) }
      registrations[Int(registration)].joiners = joiners
      registrations[Int(registration)].formerJoiners = 0
    }
  }
}
