/// The search for circles: effects that wait for each other by their identifiers, and would wait for ever.
///
/// A fiber that waits holds up the fibers that it is an attached part of. A scope that is held up holds up the effects
/// that join it, and, once too few of its identifier's places are left, the scopes in line behind it. A circle is
/// closed when this chain comes back to what the fiber would wait for. The machine looks for one when a `join` begins,
/// and, as long as there are joins, when a scope comes to stand in line. In both cases the join is the one that does
/// not wait. A race and a timeout may end without what is held up in them, so the search ends there.
extension Machine {
  /// Returns whether the fiber waits for an effect of another store.
  func lifts(_ id: FiberID) -> Bool { fibers[id.slot].flags.contains(.lifts) }

  /// Leaves out the registrations that a new join would wait for in a circle.
  ///
  /// - Returns: the registrations that the join can wait for, and not for ever.
  mutating func withoutCircles(_ joined: [RegistrationSlot], _ slot: FiberSlot, _ pass: inout Pass<P>)
    -> [RegistrationSlot]
  {
    guard mayHoldUpScopes(slot), let found = standstill(from: slot, over: joined, &pass) else { return joined }
    for registration in Set(joined).sorted() { reportCircle(through: registration, of: found, &pass) }
    return joined.filter { found[$0] == nil }
  }

  /// Ends the waits that keep a scope in line for ever: of joins that hold up its place, and wait for what it holds up.
  mutating func breakCircles(of scope: FiberSlot, _ pass: inout Pass<P>) {
    guard joinCount > 0, mayHoldUpScopes(scope) else { return }
    let registration = fibers[scope].registration
    guard let found = standstill(from: scope, over: [registration], inLine: true, &pass) else { return }
    guard isStuck(registration, in: found) else { return }
    let heldUp = found.registered.map(\.slot).sorted { registry[$0].sequence < registry[$1].sequence }
    var (giving, others): (Set<FiberID>, Set<FiberID>) = ([], [])
    var heldUpByJoiner = emptyStandstill
    for joined in heldUp {
      for joiner in registry[joined].joiners where !isCancelled(joiner) && !giving.contains(joiner) {
        guard !others.contains(joiner) else { continue }
        if holdsUpPlace(joiner.slot, of: registration, &heldUpByJoiner) {
          giving.insert(joiner)
        } else {
          others.insert(joiner)
        }
      }
    }
    guard !giving.isEmpty else { return }
    reportCircle(through: registration, of: found, &pass)
    for joined in heldUp { release(giving, from: joined, &pass) }
  }

  private mutating func release(_ joiners: Set<FiberID>, from registration: RegistrationSlot, _ pass: inout Pass<P>) {
    let all = registry[registration].joiners
    guard all.contains(where: { joiners.contains($0) }) else { return }
    registry[registration].joiners = all.filter { !joiners.contains($0) }
    for id in all.reversed() where joiners.contains(id) { endWait(of: id, &pass) }
  }

  /// Returns whether anything may wait for the fiber, or for what it is part of.
  private func mayHoldUpScopes(_ slot: FiberSlot) -> Bool {
    fibers[slot].scope.exists || originCount > 0 || mayBeJoined(slot)
  }

  private func mayBeJoined(_ slot: FiberSlot) -> Bool {
    guard case .queued = fibers[slot].activity else { return fibers[slot].registration.exists }
    return false
  }

  private func holdsUpPlace(_ slot: FiberSlot, of registration: RegistrationSlot, _ found: inout Standstill) -> Bool {
    search(from: slot, passingJoins: false, moving: [], limit: .max, &found)
    return found[registration].map { $0.places > 0 } ?? false
  }

  private func reportCircle(
    through registration: RegistrationSlot, of found: borrowing Standstill, _ pass: inout Pass<P>
  ) {
    guard let witness = found[registration]?.witness else { return }
    var path: [RegistrationSlot] = []
    var current: FiberSlot? = witness
    while let slot = current {
      if let registration = scopeInFlight(slot), path.last != registration { path.append(registration) }
      current = found.cause(of: slot)
    }
    // The path may end in line behind its first scope.
    if path.count > 1, path.last == path.first { path.removeLast() }
    pass.directives.append(.circle(path.compactMap { registry[$0].identifier }))
  }
}
