/// Two searches for cycles: one follows what a fiber waits for, the other what waits for the fiber.
///
/// Laws 8 and 11. Events: none of its own. Activities: all that wait.
///
/// Either search may be large where the other is small. So they alternate, each time over more fibers, until one of
/// them is complete. Both follow each link between fibers at most three times, and together they take a small multiple
/// of the time of the smaller search.
extension Machine {
  /// The kind of wait through which the search looks for a cycle.
  enum Awaited {
    case joined([RegistrationSlot])
    /// A place in the line of an identifier.
    case place(RegistrationSlot)
    /// A place in the line of an identifier, for all fibers in that line.
    case placeOfLine(RegistrationSlot)
    /// All waits that the fiber is already in.
    case everything
  }

  /// Returns everything that cannot end before the fiber does, or `nil` if the fiber waits for none of it.
  ///
  /// A result does not prove that the fiber waits for any of it.
  func blockedSet(from slot: FiberSlot, over awaited: Awaited, _ pass: inout Pass<P>) -> BlockedSet? {
    var limit = pass.shortSearch
    while true {
      var awaitedSet = AwaitedSet(limit: limit, fiberCount: limit == pass.shortSearch ? 0 : fibers.count)
      let finding = search(awaited: awaited, from: slot, &awaitedSet)
      pass.charge(awaitedSet.count)
      if finding == .nothing { return nil }
      if finding == .fiber { limit = .max }
      var found = emptyBlockedSet
      let isWhole = findBlockedSet(from: waiting(slot, for: awaited), limit: limit, &found)
      pass.charge(found.count)
      if isWhole { return found }
      limit = limit > fibers.count ? .max : limit * 4
    }
  }

  private func waiting(_ slot: FiberSlot, for awaited: Awaited) -> [FiberSlot] {
    guard case .placeOfLine(let registration) = awaited else { return [slot] }
    var slots: [FiberSlot] = []
    forEachInLine(of: registration) { slots.append($0) }
    return slots
  }

  /// An empty set with room for all fibers.
  var emptyBlockedSet: BlockedSet { BlockedSet(fiberCount: fibers.count, registrationCount: registry.count) }

  // MARK: Held up by a fiber

  /// Finds everything that cannot end before the fiber does.
  ///
  /// 1. Assume that each line with a held-up place stands still, and each race with a held-up entrant.
  /// 2. Remove the lines and races that move after all, with everything that only they hold up.
  /// 3. Remove groups whose members only hold up each other.
  ///
  /// - Returns: true if the result is within the limit.
  private func findBlockedSet(from slots: [FiberSlot], limit: Int, _ found: inout BlockedSet) -> Bool {
    guard search(from: slots, passingJoins: true, limit: limit, &found) else { return false }
    guard takeOutWhatMoves(&found) else { return true }
    found.beginAgain()
    spread(passingJoins: true, &found)
    return true
  }

  /// Searches for the fibers that `slots` hold up, and for all lines in which those fibers hold up a place.
  ///
  /// - Returns: false if there are more than the limit.
  @discardableResult
  func search(from slots: [FiberSlot], passingJoins: Bool, limit: Int, _ found: inout BlockedSet) -> Bool {
    found.restart(from: slots, limit: limit)
    spread(passingJoins: passingJoins, &found)
    return !found.isCut
  }

  private func spread(passingJoins: Bool, _ found: inout BlockedSet) {
    while !found.isCut, let node = found.pending.popLast() {
      if node.blocked == .settling, isOpenRace(node.slot) { found.races.note(node.slot) }
      forEachConsequence(of: node, found.races) { found.reach($0, after: node.slot) }
      guard let entry = entry(of: node) else { continue }
      let (index, isFirst) = found.note(entry)
      if isFirst, passingJoins {
        forEachJoiner(of: entry.registration) { found.reach(.settling($0), after: node.slot) }
      }
      if entry.hasPlace, found.followLine(at: index) {
        forEachInLine(of: entry.registration) { found.reach(.settling($0), after: node.slot) }
      }
    }
  }

  /// Removes the races and lines that move after all, with everything that only they hold up.
  ///
  /// - Returns: true if any race or line moved.
  private func takeOutWhatMoves(_ found: inout BlockedSet) -> Bool {
    var haveMoved = false
    for race in found.races.all where moveRace(race, &found) { haveMoved = true }
    for index in found.registered.indices where moveLine(at: index, &found) { haveMoved = true }
    while let node = found.fallen.popLast() {
      forEachConsequence(of: node, found.races) { freed in
        found.lighten(freed)
        if freed.blocked == .settling, isOpenRace(freed.slot) { _ = moveRace(freed.slot, &found) }
      }
      guard let entry = entry(of: node) else { continue }
      let (index, isLast) = found.leave(entry)
      if isLast { forEachJoiner(of: entry.registration) { found.lighten(.settling($0)) } }
      _ = moveLine(at: index, &found)
    }
    return haveMoved
  }

  private func moveRace(_ slot: FiberSlot, _ found: inout BlockedSet) -> Bool {
    !found.isHeldUp(.settling(slot), by: fibers[slot].pending) && found.move(.settling(slot))
  }

  private func moveLine(at index: Int, _ found: inout BlockedSet) -> Bool {
    let registered = found.registered[index]
    guard registered.isLineFollowed, !registered.isMoving, !standsStill(registered) else { return false }
    found.noteMoving(at: index)
    forEachInLine(of: registered.slot) { found.lighten(.settling($0)) }
    return true
  }

  /// Returns whether the first in line gets no place while the found fibers are held up.
  func standsStill(_ registered: BlockedSet.Registered) -> Bool {
    let first = registry[registered.slot].waiting.first
    guard first.exists, case .queued(let width, _) = fibers[first].activity else { return false }
    return width == 0 ? registered.cleanUps > 0 : registered.places >= width
  }

  // MARK: Links

  /// Calls `body` with the fibers that the node holds up directly, not through its identifier.
  private func forEachConsequence(
    of node: BlockedSet.Node, _ races: RaceMemo, _ body: (BlockedSet.Node) -> Void
  ) {
    let (slot, parent) = (node.slot, fibers[node.slot].parent)
    let isParentCancelled = parent.exists && fibers[parent].flags.contains(.cancelled)
    if node.blocked == .settling {
      if fibers[slot].flags.contains(.attached), isParentCancelled || waitsForChildren(parent, races) {
        body(.settling(parent))
      }
      // A cleanup that has to wait for the fiber makes everything that waits for the cleanup wait for the fiber too.
      if fibers[slot].flags.contains(.cancelled) { return body(.leaving(slot)) }
    }
    // A cancelled fiber stays for its cleanups, and so do the cancelled scopes around it.
    if isParentCancelled { body(.leaving(parent)) }
    if let origin = fibers[slot].origin { body(.leaving(origin)) }
  }

  /// Returns whether the fiber cannot end before its children: all of them, or one if it is a race without a winner.
  private func waitsForChildren(_ slot: FiberSlot, _ memo: RaceMemo) -> Bool {
    if case .bounding = fibers[slot].activity { return false }
    return !isOpenRace(slot) || !memo.canBeWon(slot, unlessKnown: { canBeWon($0) })
  }

  /// Returns whether some entrant of a race has not begun, or waits for something outside the machine.
  private func canBeWon(_ slot: FiberSlot) -> Bool {
    guard case .racing(nil, _, _) = fibers[slot].activity else { return true }
    var child = fibers[slot].firstChild
    while child.exists {
      if fibers[child].flags.contains(.attached), !fibers[child].firstChild.exists, waitsOutside(child) { return true }
      child = fibers[child].next
    }
    return false
  }

  private func waitsOutside(_ slot: FiberSlot) -> Bool {
    switch fibers[slot].activity {
    case .operating, .folded, .sleeping, .backingOff, .deciding, .handling, .evaluating, .turn, .throttled, .window,
      .ticking:
      true
    case .ready, .waiting, .retrying, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating,
      .queued, .joining, .emitting:
      false
    }
  }

  /// Returns whether the fiber is a race that the next child to settle ends.
  private func isOpenRace(_ slot: FiberSlot) -> Bool {
    guard case .racing(_, _, let winner) = fibers[slot].activity else { return false }
    return !winner.exists && !fibers[slot].flags.contains(.cancelled)
  }

  private func entry(of node: BlockedSet.Node) -> BlockedSet.Entry? {
    let slot = node.slot
    // A cancelled fiber counts once, as a node that can't leave.
    if node.blocked == .settling, fibers[slot].flags.contains(.cancelled) { return nil }
    guard let registration = registrationInFlight(of: slot) else { return nil }
    let isCleaningUp = fibers[slot].flags.contains(.releasesLate)
    return BlockedSet.Entry(
      registration: registration, slot: slot, hasPlace: isCleaningUp || isHolder(slot), isCleaningUp: isCleaningUp)
  }

  func registrationInFlight(of slot: FiberSlot) -> RegistrationSlot? {
    let isSettled = fibers[slot].flags.contains(.settled) && !fibers[slot].flags.contains(.releasesLate)
    return !fibers[slot].registration.exists || isSettled ? nil : fibers[slot].registration
  }

  private func isHolder(_ slot: FiberSlot) -> Bool {
    switch fibers[slot].activity {
    case .queued, .throttled: false
    case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .retrying, .deciding, .backingOff,
      .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .joining,
      .ticking, .emitting:
      true
    }
  }

  private func forEachJoiner(of registration: RegistrationSlot, _ body: (FiberSlot) -> Void) {
    for joiner in registry[registration].joiners.ids where !isCancelled(joiner) { body(joiner.slot) }
  }

  private func forEachInLine(of registration: RegistrationSlot, _ body: (FiberSlot) -> Void) {
    var slot = registry[registration].waiting.first
    while slot.exists {
      body(slot)
      slot = fibers[slot].nextHolder
    }
  }

  // MARK: Awaited by a fiber

  /// Searches the fibers that `slot` waits for, for `slot` itself or another fiber in its line.
  private func search(awaited: Awaited, from slot: FiberSlot, _ awaitedSet: inout AwaitedSet) -> AwaitedSet.Finding {
    var line = RegistrationSlot.none
    switch awaited {
    case .joined(let registrations):
      for registration in registrations {
        if let finding = follow(registration, withLine: true, &awaitedSet) { return finding }
      }
    case .place(let registration), .placeOfLine(let registration):
      line = registration
      if let finding = follow(registration, withLine: false, &awaitedSet) { return finding }
    case .everything:
      if let finding = follow(from: slot, &awaitedSet) { return finding }
    }
    while let current = awaitedSet.pending.popLast() {
      // A cancelled fiber waits for cleanups, which lie elsewhere.
      if current == slot || fibers[current].flags.contains(.cancelled) { return .fiber }
      if line.exists, fibers[current].registration == line, !isHolder(current) { return .fiber }
      if let finding = follow(from: current, &awaitedSet) { return finding }
    }
    return .nothing
  }

  /// - Returns: `nil` if the search continues.
  private func follow(from slot: FiberSlot, _ awaitedSet: inout AwaitedSet) -> AwaitedSet.Finding? {
    switch fibers[slot].activity {
    case .joining(_, let joined):
      for registration in joined {
        if let finding = follow(registration, withLine: true, &awaitedSet) { return finding }
      }
    case .queued:
      if let finding = follow(fibers[slot].registration, withLine: true, &awaitedSet) { return finding }
    case .ready, .evaluating, .operating, .folded, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding,
      .backingOff, .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating,
      .ticking, .emitting:
      break
    }
    return awaitedSet.add(fibers[slot].firstChild, through: { fibers[$0].next }) ? nil : .unknown
  }

  /// - Returns: `nil` if the search continues.
  private func follow(
    _ registration: RegistrationSlot, withLine: Bool, _ awaitedSet: inout AwaitedSet
  ) -> AwaitedSet.Finding? {
    if awaitedSet.registrations.contains(registration) { return nil }
    // Cleanups may lie anywhere in the tree, and are not followed.
    if registry[registration].cleaningUp > 0 { return .fiber }
    guard awaitedSet.add(registry[registration].holders.first, through: { fibers[$0].nextHolder }) else {
      return .unknown
    }
    guard withLine else { return nil }
    awaitedSet.registrations.insert(registration)
    let isWhole =
      awaitedSet.add(registry[registration].waiting.first, through: { fibers[$0].nextHolder })
      && awaitedSet.add(registry[registration].throttled, through: { _ in .none })
    return isWhole ? nil : .unknown
  }
}
