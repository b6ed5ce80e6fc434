extension Machine {
  /// - Returns: whether there is anything to wait for.
  mutating func join(_ selection: Selection<P.Identifier>, _ slot: Int32, _ pass: inout Pass<P>) -> Bool {
    var joined: [Int32] = []
    for registration in registrations(selectedBy: selection) {
      // A scope that the joiner is part of can't end before the joiner does.
      guard !registrations[Int(registration)].isIdle, !isPart(slot, of: registration) else { continue }
      registrations[Int(registration)].joiners.append(id(of: slot))
      joined.append(registration)
    }
    guard !joined.isEmpty else { return false }
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
    for id in joiners.reversed() where !isCancelled(id) {
      guard case .joining(let remaining, let joined) = strands[Int(id.slot)].activity else { continue }
      guard remaining == 1 else {
        strands[Int(id.slot)].activity = .joining(remaining: remaining - 1, joined)
        continue
      }
      traceEnd(of: id.slot, .finished, &pass)
      makeReady(id.slot)
    }
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
