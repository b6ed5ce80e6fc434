extension Machine {
  /// The scope whose strand the new tree `slot` may take over: it is all of its own tree, and only sleeps.
  ///
  /// Anything out of the ordinary goes the long way.
  func replaceableScope(_ registration: Int32, by slot: Int32) -> Int32? {
    let scope = registrations[Int(registration)].holders.first
    guard scope >= 0, isAlone(registration), isFreshRoot(slot), onlySleeps(scope) else { return nil }
    let root = strands[Int(scope)].root
    return root != slot && standsAlone(scope, for: root) ? scope : nil
  }

  /// What ``beginScope`` does at length, without giving back strands to take them anew: that is most of what it costs
  /// to restart a debounce or a timeout.
  mutating func takeOver(
    _ scope: Int32, _ registration: Int32, _ body: consuming P, from slot: Int32, _ pass: inout Pass<P>
  ) {
    let root = strands[Int(scope)].root

    // The barrier, and the end of the old tree.
    if strands[Int(scope)].firstChild >= 0 { discardSleeper(strands[Int(scope)].firstChild) }
    deadlines.remove(scope)
    removeFromParent(scope)
    if let context = strands[Int(root)].context.take() {
      pass.directives.append(.settled(context, .cancelled, isOver: true))
    }
    free(root)
    unsettledTrees -= 1

    // The new one; it holds the identifier already.
    if registrations[Int(registration)].cleaningUp == 0 { renew(registration) }
    strands[Int(scope)].vacate(releasing: &released)
    strands[Int(scope)].flags = Self.scopeForRoot
    strands[Int(scope)].registration = registration
    strands[Int(scope)].root = slot
    strands[Int(scope)].boundary = scope
    strands[Int(scope)].begun = pass.now()
    insert(scope, under: slot)
    strands[Int(slot)].pending = 1
    strands[Int(slot)].flags.insert(.hasRun)
    strands[Int(slot)].activity = .waiting
    push(body, on: scope)
    makeReady(scope)
  }

  private static var scopeForRoot: Strand<P>.Flags { [.occupied, .attached, .boundary, .lingers, .standsForRoot] }

  /// One holder has the identifier and nobody waits for it; and in the whole store nothing is there that the long way
  /// would have to look at: no clean-up, no failed tree, no instrument.
  private func isAlone(_ registration: Int32) -> Bool {
    registrations[Int(registration)].holders.count == 1 && registrations[Int(registration)].waiting.isEmpty
      && registrations[Int(registration)].throttled < 0 && !isTraced && origins.isEmpty && rootFailures.isEmpty
  }

  /// The strand has nothing to do but this scope, and is the root of its tree.
  private func isFreshRoot(_ slot: Int32) -> Bool {
    strands[Int(slot)].parent < 0 && strands[Int(slot)].flags == [.occupied, .boundary, .lingers]
      && strands[Int(slot)].firstChild < 0 && !hasMoreToDo(slot) && strands[Int(slot)].nearestLabel == nil
  }

  /// The scope sleeps, or waits with a deadline for one strand that sleeps.
  private func onlySleeps(_ scope: Int32) -> Bool {
    guard strands[Int(scope)].flags.subtracting(.hasRun) == Self.scopeForRoot else { return false }
    let child = strands[Int(scope)].firstChild
    switch strands[Int(scope)].activity {
    case .sleeping: return child < 0
    case .bounding: return child >= 0 && strands[Int(child)].next < 0 && isSleeper(child)
    default: return false
    }
  }

  private func isSleeper(_ slot: Int32) -> Bool {
    guard case .sleeping = strands[Int(slot)].activity, strands[Int(slot)].firstChild < 0 else { return false }
    return strands[Int(slot)].flags.subtracting(.hasRun) == [.occupied, .attached, .boundary]
      && strands[Int(slot)].registration < 0
  }

  private func standsAlone(_ scope: Int32, for root: Int32) -> Bool {
    strands[Int(root)].firstChild == scope && strands[Int(scope)].next < 0
      && strands[Int(root)].flags.subtracting(.hasRun) == [.occupied, .boundary, .lingers]
  }

  private mutating func discardSleeper(_ slot: Int32) {
    deadlines.remove(slot)
    free(slot)
  }
}
