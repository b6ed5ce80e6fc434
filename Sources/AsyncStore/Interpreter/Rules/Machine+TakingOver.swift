/// The fast path to restart a debounce, a sleep or a timeout under its identifier.
///
/// Laws 10 and 15. Events: none of its own. Activities: `sleeping`, `bounding`, `waiting`.
///
/// This path exists only for speed: the slow path has the same outcome. Without it, restarting a debounce takes 9,100
/// instructions instead of 6,900, and restarting a timeout 12,000 instead of 8,700 (`Tests/Benchmarks/instructions P7a
/// P7b`).
extension Machine {
  /// Returns the scope whose fiber the new tree `slot` may take over: one that is its whole tree and only sleeps.
  ///
  /// Returns `nil` in any unusual case, which takes the slow path.
  ///
  /// `mutating`, although it changes nothing, because the compiler would copy the machine for the call.
  mutating func replaceableScope(_ registration: RegistrationSlot, by slot: FiberSlot) -> FiberSlot? {
    let scope = registry[registration].holders.first
    guard scope.exists, isAlone(registration), isFreshRoot(slot), onlySleeps(scope) else { return nil }
    let root = fibers[scope].root
    return root != slot && standsAlone(scope, for: root) ? scope : nil
  }

  /// Replaces a scope as ``beginScope`` does, but reuses its fiber.
  ///
  /// Freeing and allocating fibers is most of the cost of restarting a debounce or a timeout.
  mutating func takeOver(
    _ scope: FiberSlot, _ registration: RegistrationSlot, _ body: consuming P, from slot: FiberSlot,
    _ pass: inout Pass<P>
  ) {
    let root = fibers[scope].root

    // The barrier, and the end of the old tree.
    if fibers[scope].firstChild.exists { freeSleeper(fibers[scope].firstChild) }
    deadlines.remove(scope)
    fibers.removeFromParent(scope)
    if let context = fibers[root].context.take() {
      pass.directives.append(.settle(context, .cancelled, isOver: true))
    }
    free(root)
    counts.unsettledTrees -= 1

    // The new scope, whose fiber already holds the identifier.
    if registry[registration].cleaningUp == 0 { registry.renew(registration) }
    fibers[scope].vacate(to: &released)
    fibers.renumber(scope)
    fibers[scope].flags = Self.scopeForRoot
    fibers[scope].registration = registration
    fibers[scope].root = slot
    fibers[scope].boundary = scope
    fibers[scope].begun = pass.now()
    fibers.insert(scope, under: slot)
    fibers[slot].pending = 1
    fibers[slot].flags.insert(.hasRun)
    fibers[slot].releaseEffectWithoutDescription(to: &released)
    fibers[slot].activity = .waiting
    push(consume body, on: scope)
    schedule(scope)
  }

  private static var scopeForRoot: Fiber<P>.Flags { [.occupied, .attached, .boundary, .lingers, .standsForRoot] }

  /// Returns whether the identifier has one holder and nothing waits for it, and the store has neither cleanups nor an
  /// instrument.
  ///
  /// Only the slow path handles these.
  private func isAlone(_ registration: RegistrationSlot) -> Bool {
    registry[registration].holders.count == 1 && registry[registration].waiting.isEmpty
      && !registry[registration].throttled.exists && !options.isTraced && counts.ownedCleanups == 0
      && !isSpreadingBarrier
  }

  /// Returns whether the fiber is the root of its tree and has nothing but this scope to run.
  private func isFreshRoot(_ slot: FiberSlot) -> Bool {
    !fibers[slot].parent.exists && fibers[slot].flags == [.occupied, .boundary, .lingers]
      && !fibers[slot].firstChild.exists && !hasMoreToDo(slot) && fibers[slot].nearestLabel == nil
  }

  /// Returns whether the scope sleeps, or waits with a deadline for one fiber that sleeps.
  private func onlySleeps(_ scope: FiberSlot) -> Bool {
    guard fibers[scope].flags.subtracting(.hasRun) == Self.scopeForRoot else { return false }
    let child = fibers[scope].firstChild
    if case .sleeping = fibers[scope].activity { return !child.exists }
    // A `switch` would copy the contents of the activity.
    guard case .bounding = fibers[scope].activity else { return false }
    return child.exists && !fibers[child].next.exists && isSleeper(child)
  }

  private func isSleeper(_ slot: FiberSlot) -> Bool {
    guard case .sleeping = fibers[slot].activity, !fibers[slot].firstChild.exists else { return false }
    return fibers[slot].flags.subtracting(.hasRun) == [.occupied, .attached, .boundary]
      && !fibers[slot].registration.exists
  }

  private func standsAlone(_ scope: FiberSlot, for root: FiberSlot) -> Bool {
    fibers[root].firstChild == scope && !fibers[scope].next.exists
      && fibers[root].flags.subtracting(.hasRun) == [.occupied, .boundary, .lingers]
  }

  private mutating func freeSleeper(_ slot: FiberSlot) {
    deadlines.remove(slot)
    free(slot)
  }
}
