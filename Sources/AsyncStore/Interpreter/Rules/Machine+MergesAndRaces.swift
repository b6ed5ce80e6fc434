/// Merges and races: effects that begin a fiber for each member.
///
/// Laws 1, 3 and 15. Events: none of its own. Activities: `merging`, `racing`, `ready`.
///
/// A fiber that merges or races begins one member per step and puts itself back on the ready stack, below the member.
/// So each member runs its own prefix before the next begins. A merge with a limit keeps the members that have to wait
/// in a backlog, and takes the next one when a member settles. The first entrant of a race that reaches the goal is the
/// winner. It cancels the others, and the race continues when they have settled.
extension Machine {
  mutating func beginMerge(_ members: consuming P, limit: Int, _ slot: FiberSlot) {
    let limit = max(limit, 1)
    let allBegin = 1...limit ~= members.count
    if !allBegin { fibers.makeRare(of: slot).pointee.queue(members) }
    fibers[slot].activity = .merging(allBegin ? members : nil, next: 0, limit: Int32(clamping: limit))
  }

  /// Divides the list of members that wait for their turn, as far as the steps of the pass allow.
  ///
  /// - Returns: false if the rest of the list has to wait for another lock.
  mutating func divideMembers(of slot: FiberSlot, _ pass: inout Pass<P>) -> Bool {
    guard let rare = fibers[slot].rare, rare.pointee.undivided != nil else { return true }
    let (count, list) = rare.pointee.divideMembers(limit: pass.visitsLeft)
    pass.charge(count)
    if let list { released.append(list) }
    return list != nil
  }

  /// Begins the next member of a merge, or ends the merge.
  mutating func continueMerge(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard case .merging(let members, let next, let limit) = fibers[slot].activity else { return }
    guard let members else {
      guard fibers[slot].pending < limit else { return }
      guard divideMembers(of: slot, &pass) else { return schedule(slot) }
      guard let member = fibers[slot].rare?.pointee.backlog.popFirst() else { return makeReady(slot) }
      schedule(slot)
      beginMember(0, of: member, to: member.count, under: slot, boundary: false, &pass)
      return
    }
    let isLast = Int(next) + 1 == members.count
    fibers[slot].activity = .merging(isLast ? nil : members, next: next + 1, limit: limit)
    schedule(slot)
    beginMember(Int(next), of: members, under: slot, boundary: false, &pass)
    if isLast { released.append(members) }
  }

  mutating func beginRace(_ members: consuming P, toSucceed: Bool, _ slot: FiberSlot) {
    fibers[slot].activity = .racing(members.count > 0 ? members : nil, next: 0, winner: .none)
    if toSucceed { fibers[slot].flags.insert(.toSucceed) } else { fibers[slot].flags.remove(.toSucceed) }
  }

  /// Begins the next entrant of a race, or ends the race when its entrants have settled.
  mutating func continueRace(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    guard case .racing(let members, let next, let winner) = fibers[slot].activity else { return }
    if !winner.exists, let members {
      let isLast = Int(next) + 1 == members.count
      fibers[slot].activity = .racing(isLast ? nil : members, next: next + 1, winner: winner)
      schedule(slot)
      let entrant = beginMember(Int(next), of: members, under: slot, boundary: true, &pass)
      if isLast { released.append(members) }
      fibers[entrant].flags.insert(.entrant)
      if fibers[slot].flags.contains(.toSucceed) { catchErrors(of: entrant, in: slot) }
      return
    }
    guard fibers[slot].pending == 0 else { return }
    let failure = fibers[slot].rare?.pointee.failure.take()
    if let failure { released.append(failure: failure) }
    if !winner.exists, let failure {
      fibers[slot].activity = .ready
      fail(slot, failure, &pass)
    } else {
      if !winner.exists, fibers[slot].flags.contains(.toSucceed) { endEarly(slot) }
      makeReady(slot)
    }
  }

  /// Handles the end of an entrant: the first to reach the goal wins, and cancels the others.
  mutating func entrantSettled(_ entrant: FiberSlot, of race: FiberSlot, hasWon: Bool, _ pass: inout Pass<P>) {
    guard case .racing(let members, let next, let winner) = fibers[race].activity, !winner.exists else { return }
    if hasWon {
      if let members { released.append(members) }
      fibers[race].activity = .racing(nil, next: next, winner: entrant)
      cancelAttachedChildren(of: race, &pass)
      awaitBarrier(&pass)
    } else {
      // All remaining entrants may wait in one cycle.
      noteNewWait(for: race)
    }
  }

  /// Begins a fiber for one member of a merge or a race.
  ///
  /// The member goes above its parent on the ready stack, so it runs its prefix before the parent begins the next
  /// member.
  @discardableResult
  private mutating func beginMember(
    _ index: Int, of members: P, to end: Int? = nil, under parent: FiberSlot, boundary: Bool, _ pass: inout Pass<P>
  ) -> FiberSlot {
    let child = makeChild(of: parent, attached: true, boundary: boundary, &pass)
    fibers[child].flags.insert(.endIsIgnored)
    push(members, from: index, to: end ?? index + 1, on: child)
    makeReady(child)
    return child
  }
}
