/// Scopes: effects under an identifier, and the policies for an identifier that is already in flight.
///
/// Laws 8 and 10. Events: none of its own. Activities: `waiting`.
extension Machine {
  mutating func beginScope(
    _ identifier: consuming P.Identifier, _ policy: ScopePolicy, _ body: consuming P, from slot: FiberSlot,
    _ pass: inout Pass<P>
  ) -> Progress {
    let registration = registry.register(identifier)
    switch policy {
    case .replace, .replaceAfterCleanup:
      let holder = firstHolder(of: registration)
      if holder.exists, fibers[holder].flags.contains(.beginsLater), letBegin(holder, before: slot, &pass) {
        return .stopped
      }
      let mayWait = policy == .replaceAfterCleanup && !isLeftBehind(slot, by: registration)
      if !mayWait, let scope = replaceableScope(registration, by: slot) {
        takeOver(scope, registration, consume body, from: slot, &pass)
        return .stopped
      }
      return replace(registration, mayWait: mayWait, consume body, from: slot, &pass)
    case .keepFirst:
      if registry[registration].isFree {
        openScope(registration, body, from: slot, &pass)
      } else {
        drop(slot, &pass)
      }
    case .queue(let width, let capacity):
      let isFirst = registry[registration].waiting.isEmpty
      // An effect inside the scope already has its place; waiting for itself would never end.
      if isFirst && registry[registration].occupied < width || isPart(slot, of: registration, &pass) {
        openScope(registration, body, from: slot, &pass)
      } else if hasRoomInLine(of: registration, width: width, capacity: capacity) {
        waitInLine(registration, width: Int32(clamping: width), body, from: slot, &pass)
      } else {
        drop(slot, &pass)
      }
    }
    return .continues
  }

  /// Returns the oldest holder that is not a throttle's window.
  private func firstHolder(of registration: RegistrationSlot) -> FiberSlot {
    let first = registry[registration].holders.first
    return first.exists && first == registry[registration].window ? fibers[first].nextHolder : first
  }

  /// Cancels the effects under an identifier, and begins `body` once all consequences of the cancel wait.
  private mutating func replace(
    _ registration: RegistrationSlot, mayWait: Bool, _ body: consuming P, from slot: FiberSlot,
    _ pass: inout Pass<P>
  ) -> Progress {
    let successor = makeSuccessor(of: registration, from: slot, &pass)
    let height = ready.count
    registrationBeingReplaced = registration
    // A throttle's window is not an effect that could be replaced.
    let window = registry[registration].window
    if window.exists { fibers.remove(window, from: &registry[registration].holders) }
    cancelAll(under: registration, &pass)
    if window.exists { fibers.append(window, to: &registry[registration].holders) }
    registrationBeingReplaced = .none
    if registry[registration].isUnused { registry.renew(registration) }
    if mayWait, registry[registration].cleaningUp > 0 {
      waitInLine(registration, width: 0, body, from: successor ?? slot, &pass)
      return successor == nil ? .stopped : .continues
    }
    let scope = linkScope(registration, body, from: successor ?? slot, &pass)
    guard scope != slot || ready.count > height || pass.steps == 0 else { return .continues }
    makeReady(scope, behind: height)
    fibers[scope].flags.insert(.beginsLater)
    // A cleanup is not part of the scope that it cleans up after, and continues.
    return successor == nil ? .stopped : .continues
  }

  /// Returns the outermost holder of the registration that contains this fiber.
  private func enclosingHolder(
    of slot: FiberSlot, _ registration: RegistrationSlot, _ pass: inout Pass<P>
  ) -> FiberSlot? {
    guard !registry[registration].holders.isEmpty else { return nil }
    var outermost: FiberSlot?
    climb(from: slot, &pass) { scope in
      if fibers[scope].registration == registration { outermost = scope }
    }
    return outermost
  }

  /// Returns whether this fiber is part of a holder of the registration, or of something that a cancelled holder has
  /// left behind.
  private func isPart(_ slot: FiberSlot, of registration: RegistrationSlot, _ pass: inout Pass<P>) -> Bool {
    // The innermost holder is enough, and is near when the effects of a queue run inside each other.
    var (current, length) = (registry[registration].holders.isEmpty ? .none : slot, 0)
    defer { pass.charge(length) }
    while current.exists {
      let isHolder = fibers[current].registration == registration
      if isHolder, !fibers[current].flags.contains(.cancelled) { return true }
      current = fibers[current].scope
      length += 1
    }
    return isLeftBehind(slot, by: registration)
  }

  /// Returns the registrations that do not contain this fiber, neither through a holder nor through something that a
  /// cancelled holder has left behind.
  func registrations(
    _ selected: [RegistrationSlot], notAround slot: FiberSlot, _ pass: inout Pass<P>
  ) -> [RegistrationSlot] {
    if selected.count == 1 { return isPart(slot, of: selected[0], &pass) ? [] : selected }
    // One climb serves all registrations.
    var around: Set<RegistrationSlot> = []
    climb(from: slot, &pass) { around.insert(fibers[$0].registration) }
    return selected.filter { !around.contains($0) && !isLeftBehind(slot, by: $0) }
  }

  /// Visits the living scopes around a fiber, from the inside out, and charges the pass for the climb.
  @inline(__always)
  private func climb(from slot: FiberSlot, _ pass: inout Pass<P>, _ visit: (FiberSlot) -> Void) {
    var (current, length) = (slot, 0)
    while current.exists {
      if fibers[current].registration.exists, !fibers[current].flags.contains(.cancelled) { visit(current) }
      current = fibers[current].scope
      length += 1
    }
    pass.charge(length)
  }

  /// Creates the successor of a scope, for an effect that starts inside the scope under the scope's identifier.
  ///
  /// The effect takes the scope's place: the scope is cancelled, and the effect continues where the scope was. This is
  /// how a task restarts itself under its own identifier.
  ///
  /// - Returns: the fiber that takes the place of the scope, which the caller has to cancel; `nil` if there is no such
  ///   scope.
  private mutating func makeSuccessor(
    of registration: RegistrationSlot, from slot: FiberSlot, _ pass: inout Pass<P>
  ) -> FiberSlot? {
    guard let holder = enclosingHolder(of: slot, registration, &pass) else { return nil }
    let isAttached = fibers[holder].flags.contains(.attached)
    let successor = makeChild(of: fibers[holder].parent, attached: isAttached, boundary: true, &pass)
    let place: Fiber<P>.Flags =
      isAttached
      ? [.standsForRoot, .entrant, .endIsIgnored, .passesAttempts, .isCleanup, .cleansUpAsScope]
      : [.passesAttempts, .isCleanup, .cleansUpAsScope]
    fibers[successor].flags.formUnion(fibers[holder].flags.intersection(place))
    // A successor of effects that a settled cleanup has left running is not itself a cleanup that a surrounding cancel
    // would spare.
    if fibers[holder].flags.contains(.settled) { fibers[successor].flags.subtract([.isCleanup, .cleansUpAsScope]) }
    if let origin = fibers[holder].origin, !fibers[holder].flags.contains(.settled) {
      setOrigin(origin, of: successor)
    }
    if !isAttached { fibers[successor].flags.insert(.passesAttempts) }
    fibers[successor].flags.insert(.lingers)
    if let label = fibers[slot].nearestLabel {
      // The label may be inside the scope, around the effect that starts the successor.
      fibers[successor].nearestLabel = label
      fibers[successor].flags.insert(.labelled)
    }
    fibers[successor].catcher = catcher(of: slot, outside: holder)
    let site = site(of: slot)
    stand(successor, at: site)
    fibers[holder].flags.remove(.standsForRoot)
    // For the surrounding effects, the successor's end counts.
    fibers[holder].flags.insert(.endIsIgnored)
    return successor
  }

  /// Runs `body` under the identifier: in the fiber itself if it does nothing else, otherwise in a child.
  mutating func openScope(
    _ registration: RegistrationSlot, _ body: consuming P, from slot: FiberSlot, _ pass: inout Pass<P>
  ) {
    let scope = linkScope(registration, body, from: slot, &pass)
    if scope != slot { makeReady(scope) }
  }

  private mutating func linkScope(
    _ registration: RegistrationSlot, _ body: consuming P, from slot: FiberSlot, _ pass: inout Pass<P>
  ) -> FiberSlot {
    let scope = carrier(from: slot, &pass)
    occupy(scope, registration)
    push(body, on: scope)
    return scope
  }

  /// Makes the fiber a holder of the identifier.
  mutating func hold(_ slot: FiberSlot, _ registration: RegistrationSlot) {
    fibers[slot].registration = registration
    fibers.append(slot, to: &registry[registration].holders)
  }

  /// Makes the fiber a holder that takes one of the identifier's places.
  mutating func occupy(_ slot: FiberSlot, _ registration: RegistrationSlot) {
    hold(slot, registration)
    registry[registration].takePlace()
  }

  /// Removes a holder whose detached effects have all ended from its registration, before the holder is freed.
  ///
  /// - Returns: the registration, to be served once the holder is gone.
  mutating func removeFromRegistration(_ slot: FiberSlot) -> RegistrationSlot {
    let registration = fibers[slot].registration
    if fibers[slot].flags.contains(.releasesLate) {
      registry[registration].endCleanup()
    } else {
      fibers.remove(slot, from: &registry[registration].holders)
    }
    return registration
  }

  /// Returns the fiber for a scope that `slot` begins: `slot` itself if the scope is all that it has ever had to do,
  /// otherwise a child.
  ///
  /// The carrier is never a root, because effects that a cancelled scope leaves behind still run in the tree but no
  /// longer under the identifier.
  mutating func carrier(from slot: FiberSlot, _ pass: inout Pass<P>) -> FiberSlot {
    let isAll =
      !fibers[slot].firstChild.exists && !hasMoreToDo(slot)
      && fibers[slot].flags.isDisjoint(with: [.recovers, .hasRun])
    let isFree = isAll && !fibers[slot].registration.exists
    guard isFree, fibers[slot].parent.exists else {
      fibers[slot].flags.insert(.hasRun)
      let scope = makeChild(of: slot, attached: true, boundary: true, &pass)
      fibers[scope].flags.insert(.lingers)
      // The scope is the whole content of a root, or of a scope that is the whole content of its tree.
      if isFree || isAll && fibers[slot].flags.contains(.standsForRoot) { fibers[scope].flags.insert(.standsForRoot) }
      if isFree {
        fibers[slot].releaseEffectWithoutDescription(to: &released)
      } else {
        fibers[slot].releaseEffect(to: &released)
      }
      fibers[slot].activity = .waiting
      return scope
    }
    if fibers[slot].flags.intersection([.isCleanup, .boundary]) == .isCleanup {
      fibers[slot].flags.insert(.cleansUpAsScope)
    }
    fibers[slot].flags.formUnion([.boundary, .lingers])
    fibers[slot].boundary = slot
    return slot
  }

  /// Drops a fiber's current effect, by the policy of the effect's identifier.
  mutating func drop(_ slot: FiberSlot, _ pass: inout Pass<P>) {
    trace(.dropped, as: .dropped, of: slot, &pass)
    endEarly(slot)
    if !fibers[slot].flags.contains(.hasRun) { fibers[slot].flags.insert(.dropped) }
  }

  /// Returns the identifier that a fiber holds or waits for, if there is one.
  func identifier(of slot: FiberSlot) -> P.Identifier? {
    let registration = fibers[slot].registration
    return registration.exists ? registry[registration].identifier : nil
  }
}
