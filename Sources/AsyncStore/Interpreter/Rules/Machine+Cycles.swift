/// The search for cycles: effects that wait for each other by their identifiers, and would wait forever.
///
/// Laws 8 and 10. Events: none of its own. Activities: `joining`, `queued`.
///
/// A fiber that waits holds up the fibers that it is an attached part of. A scope that is held up holds up the effects
/// that join it, and, once too few of its identifier's places are left, the scopes in line behind it. A cycle is
/// closed when this chain comes back to what the fiber would wait for. The machine looks for one wherever a wait begins
/// while there are joins: when a `join` begins, when a scope comes to stand in line, when another one that needs more
/// places comes to be the first there, when a race loses an entrant, and when fibers are cancelled that wait for a
/// cleanup which has begun before. In all cases the join is the one that does not wait. A race without a winner is held
/// up once all its entrants are. A timeout ends without what is held up in it, so the search ends there.
extension Machine {
  /// Leaves out the registrations that a new join would wait for in a cycle.
  ///
  /// - Returns: the registrations that the join can wait for, and not forever.
  mutating func withoutCycles(_ joined: [RegistrationSlot], _ slot: FiberSlot, _ pass: inout Pass<P>)
    -> [RegistrationSlot]
  {
    guard mayHoldUpScopes(slot), let found = blockedSet(from: slot, over: .joined(joined), &pass) else {
      return joined
    }
    for registration in Set(joined).sorted() { reportCycle(through: registration, of: found, &pass) }
    return joined.filter { found[$0] == nil }
  }

  /// Ends the waits that keep a scope in line forever: those of joins that hold up its place, and wait for what it
  /// holds up.
  mutating func breakCycles(of scope: FiberSlot, _ pass: inout Pass<P>) {
    guard joinCount > 0, mayHoldUpScopes(scope) else { return }
    breakCycles(of: scope, over: .place(fibers[scope].registration), &pass)
  }

  private mutating func breakCycles(of scope: FiberSlot, over awaited: Awaited, _ pass: inout Pass<P>) {
    let registration = fibers[scope].registration
    guard let found = blockedSet(from: scope, over: awaited, &pass) else { return }
    guard let line = found[registration], standsStill(line) else { return }
    let giving = joiners(of: found) { $0[registration].map { $0.places > 0 } ?? false }
    guard !giving.isEmpty else { return }
    reportCycle(through: registration, of: found, &pass)
    for joined in heldUp(in: found) { endWaits(of: giving, for: joined, &pass) }
  }

  /// Returns the joiners of held-up registrations that themselves hold up what `holdsUp` looks for, in the order in
  /// which the identifiers came into use.
  ///
  /// - Parameter holdsUp: returns whether the fibers that one joiner holds up include it.
  private func joiners(of found: borrowing BlockedSet, where holdsUp: (borrowing BlockedSet) -> Bool) -> [FiberID] {
    var (giving, known): ([FiberID], Set<FiberID>) = ([], [])
    var heldUpByJoiner = emptyBlockedSet
    heldUpByJoiner.races.know(found.races.all.filter { found.contains($0) })
    for joined in heldUp(in: found) {
      for joiner in registry[joined].joiners where !isCancelled(joiner) && known.insert(joiner).inserted {
        search(from: [joiner.slot], passingJoins: false, limit: .max, &heldUpByJoiner)
        if holdsUp(heldUpByJoiner) { giving.append(joiner) }
      }
    }
    return giving
  }

  /// The registrations that are held up, in the order in which their identifiers came into use.
  private func heldUp(in found: borrowing BlockedSet) -> [RegistrationSlot] {
    found.registered.filter(\.isFound).map(\.slot).sorted { registry[$0].sequence < registry[$1].sequence }
  }

  private mutating func endWaits(
    of joiners: [FiberID], for registration: RegistrationSlot, _ pass: inout Pass<P>
  ) {
    let all = registry[registration].joiners
    let ending = Set(joiners).intersection(all)
    guard !ending.isEmpty else { return }
    registry[registration].joiners = all.filter { !ending.contains($0) }
    for id in all.reversed() where ending.contains(id) { endWait(of: id, &pass) }
  }

  /// Returns whether anything may wait for the fiber, or for what it is part of.
  private func mayHoldUpScopes(_ slot: FiberSlot) -> Bool {
    fibers[slot].scope.exists || ownedCleanupCount > 0 || mayBeJoined(slot)
  }

  private func mayBeJoined(_ slot: FiberSlot) -> Bool {
    guard case .queued = fibers[slot].activity else { return fibers[slot].registration.exists }
    return false
  }

  // MARK: Waits that begin elsewhere

  /// Records that something has begun to wait for the fiber: a cancelled fiber, a race that has been won or a timeout
  /// waits for a fiber that is cleaning up, a race waits for the entrants that are left, or effects wait for the first
  /// in line, which needs another number of places than the one before it.
  mutating func noteNewWait(for slot: FiberSlot) {
    if joinCount > 0 { newlyAwaited.append(id(of: slot)) }
  }

  /// Looks for cycles through what something has begun to wait for.
  ///
  /// - Returns: true if a join goes on.
  mutating func breakNewCycles(_ pass: inout Pass<P>) -> Bool {
    guard !newlyAwaited.isEmpty else { return false }
    var awaited: [FiberID] = []
    while let id = newlyAwaited.popLast() { awaited.append(id) }
    for id in awaited.reversed() where isAlive(id) && !fibers[id.slot].flags.contains(.settled) {
      guard joinCount > 0 else { continue }
      if case .queued = fibers[id.slot].activity, !isCancelled(id) {
        breakCycles(of: id.slot, over: .placeOfLine(fibers[id.slot].registration), &pass)
      } else {
        breakCycles(through: id.slot, &pass)
      }
    }
    return !ready.isEmpty
  }

  /// Ends the waits of joins that hold up a fiber, and wait for what it holds up.
  private mutating func breakCycles(through slot: FiberSlot, _ pass: inout Pass<P>) {
    guard let found = blockedSet(from: slot, over: .everything, &pass) else { return }
    var lost: [(id: FiberID, registrations: [RegistrationSlot])] = []
    for id in joiners(of: found, where: { $0.contains(slot) }) {
      guard case .joining(_, let joined) = fibers[id.slot].activity else { continue }
      // Some may have ended, and their places may have been taken by other identifiers.
      let awaited = joined.filter { registry[$0].joiners.contains(id) }
      let kept = Set(withoutCycles(awaited, id.slot, &pass))
      lost.append((id, awaited.filter { !kept.contains($0) }))
    }
    for (id, registrations) in lost.reversed() {
      for registration in registrations { endWaits(of: [id], for: registration, &pass) }
    }
  }

  private func reportCycle(
    through registration: RegistrationSlot, of found: borrowing BlockedSet, _ pass: inout Pass<P>
  ) {
    guard let witness = found[registration]?.witness else { return }
    var path: [RegistrationSlot] = []
    var current: FiberSlot? = witness
    while let slot = current {
      if let registration = registrationInFlight(of: slot), path.last != registration { path.append(registration) }
      current = found.cause(of: slot)
    }
    // The path may end in line behind its first scope.
    if path.count > 1, path.last == path.first { path.removeLast() }
    pass.directives.append(.reportCycle(path.compactMap { registry[$0].identifier }))
  }
}
