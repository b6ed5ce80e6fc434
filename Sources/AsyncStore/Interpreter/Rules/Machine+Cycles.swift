/// The search for cycles: effects that wait for each other by their identifiers, and would wait forever.
///
/// Laws 8 and 10. Events: none of its own. Activities: `joining`, `queued`.
///
/// A waiting fiber holds up the fibers that it is an attached part of. A held-up scope holds up the effects that join
/// it and, once its identifier has too few places left, the scopes in line behind it. A cycle is closed when this chain
/// returns to what the fiber would wait for. While there are joins, the machine looks for a cycle wherever a wait
/// begins: when a `join` begins; when a scope enters a line; when a scope that needs more places becomes the first in
/// line; when a race loses an entrant; and when fibers are cancelled that wait for a cleanup that began earlier. In
/// each case it is the join that does not wait. A race without a winner is held up once all its entrants are. A timeout
/// ends without its held-up body, so the search ends there.
extension Machine {
  /// Removes the registrations that a new join would wait for in a cycle.
  ///
  /// - Returns: the registrations that the join can wait for without waiting forever.
  mutating func withoutCycles(_ joined: [RegistrationSlot], _ slot: FiberSlot, _ pass: inout Pass<P>)
    -> [RegistrationSlot]
  {
    guard mayHoldUpScopes(slot), let found = blockedSet(from: slot, over: .joined(joined), &pass) else {
      return joined
    }
    for registration in Set(joined).sorted() { reportCycle(through: registration, of: found, &pass) }
    return joined.filter { found[$0] == nil }
  }

  /// Ends the waits that keep a scope in line forever, which are those of joins that hold up its place and wait for
  /// something that the scope holds up.
  mutating func breakCycles(of scope: FiberSlot, _ pass: inout Pass<P>) {
    guard counts.joins > 0, mayHoldUpScopes(scope) else { return }
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

  /// Returns the joiners of held-up registrations that satisfy `holdsUp`, in the order in which the identifiers came
  /// into use.
  ///
  /// - Parameter holdsUp: returns whether the joiner that holds up the given fibers is one to return.
  private func joiners(of found: borrowing BlockedSet, where holdsUp: (borrowing BlockedSet) -> Bool) -> [FiberID] {
    var (giving, known): ([FiberID], Set<FiberID>) = ([], [])
    var heldUpByJoiner = emptyBlockedSet
    heldUpByJoiner.races.know(found.races.all.filter { found.contains($0) })
    for joined in heldUp(in: found) {
      for joiner in registry[joined].joiners.ids where !isCancelled(joiner) && known.insert(joiner).inserted {
        search(from: [joiner.slot], passingJoins: false, limit: .max, &heldUpByJoiner)
        if holdsUp(heldUpByJoiner) { giving.append(joiner) }
      }
    }
    return giving
  }

  /// The held-up registrations, in the order in which their identifiers came into use.
  private func heldUp(in found: borrowing BlockedSet) -> [RegistrationSlot] {
    found.registered.filter(\.isFound).map(\.slot).sorted { registry[$0].sequence < registry[$1].sequence }
  }

  private mutating func endWaits(
    of joiners: [FiberID], for registration: RegistrationSlot, _ pass: inout Pass<P>
  ) {
    for id in registry[registration].joiners.remove(joiners).reversed() { endWait(of: id, &pass) }
  }

  /// Returns whether anything may wait for the fiber or for an effect that contains it.
  private func mayHoldUpScopes(_ slot: FiberSlot) -> Bool {
    fibers[slot].scope.exists || counts.ownedCleanups > 0 || mayBeJoined(slot)
  }

  private func mayBeJoined(_ slot: FiberSlot) -> Bool {
    guard case .queued = fibers[slot].activity else { return fibers[slot].registration.exists }
    return false
  }

  // MARK: Waits that begin elsewhere

  /// Records a new wait for the fiber.
  ///
  /// A cancelled fiber, a won race or a timeout waits for a fiber that is cleaning up; a race waits for its remaining
  /// entrants; or effects wait for a new first in line, which needs a different number of places from its predecessor.
  mutating func noteNewWait(for slot: FiberSlot) {
    if counts.joins > 0 { newlyAwaited.append(id(of: slot)) }
  }

  /// Looks for cycles through the fibers that something has begun to wait for.
  ///
  /// - Returns: true if a join continues.
  mutating func breakNewCycles(_ pass: inout Pass<P>) -> Bool {
    guard !newlyAwaited.isEmpty else { return false }
    var awaited: [FiberID] = []
    while let id = newlyAwaited.popLast() { awaited.append(id) }
    for id in awaited.reversed() where isAlive(id) && !fibers[id.slot].flags.contains(.settled) {
      guard counts.joins > 0 else { continue }
      if case .queued = fibers[id.slot].activity, !isCancelled(id) {
        breakCycles(of: id.slot, over: .placeOfLine(fibers[id.slot].registration), &pass)
      } else {
        breakCycles(through: id.slot, &pass)
      }
    }
    return !ready.isEmpty
  }

  /// Ends the waits of joins that hold up a fiber and wait for something that the fiber holds up.
  private mutating func breakCycles(through slot: FiberSlot, _ pass: inout Pass<P>) {
    guard let found = blockedSet(from: slot, over: .everything, &pass) else { return }
    var lost: [(id: FiberID, registrations: [RegistrationSlot])] = []
    for id in joiners(of: found, where: { $0.contains(slot) }) {
      guard case .joining(_, let joined) = fibers[id.slot].activity else { continue }
      // Some registrations may have ended, and other identifiers may have taken their slots.
      let awaited = joined.filter { registry[$0].joiners.ids.contains(id) }
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
    // The path may end in the line behind its first scope.
    if path.count > 1, path.last == path.first { path.removeLast() }
    pass.directives.append(.reportCycle(path.compactMap { registry[$0].identifier }))
  }
}
