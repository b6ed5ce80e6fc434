/// The two searches for circles, which visit each fiber once: of what some identifiers wait for, and of what waits for
/// a fiber.
///
/// Either may be large where the other one is small. So they take turns, each time with more fibers, until one of them
/// comes to its end. Both take a fraction of a microsecond for a fiber, and together a small multiple of the smaller one.
extension Machine {
  /// Returns everything that waits as long as the fiber does, or `nil` if that is nothing under these identifiers.
  ///
  /// It may be nothing under them as well where it returns something.
  ///
  /// - Parameter inLine: true if the fiber stands in line under the identifiers: it waits for the holders of places.
  func standstill(
    from slot: FiberSlot, over registrations: [RegistrationSlot], inLine: Bool = false, _ pass: inout Pass<P>
  ) -> Standstill? {
    var limit = pass.shortSearch
    while true {
      var outlook = Outlook(limit: limit, fiberCount: limit == pass.shortSearch ? 0 : fibers.count)
      let finding = look(out: registrations, from: slot, inLine: inLine, &outlook)
      pass.charge(outlook.count)
      if finding == .nothing { return nil }
      if finding == .fiber { limit = .max }
      var found = emptyStandstill
      let isWhole = findStandstill(from: slot, limit: limit, &found)
      pass.charge(found.count)
      if isWhole { return found }
      limit = limit > fibers.count ? .max : limit * 4
    }
  }

  /// A standstill with room for all fibers.
  var emptyStandstill: Standstill { Standstill(fiberCount: fibers.count, registrationCount: registry.count) }

  /// Finds everything that waits as long as the fiber does.
  ///
  /// - Returns: true if it is not more than the limit.
  private func findStandstill(from slot: FiberSlot, limit: Int, _ found: inout Standstill) -> Bool {
    // Lines that move on, because enough of their places are not held up.
    var moving: Set<RegistrationSlot> = []
    while true {
      guard search(from: slot, passingJoins: true, moving: moving, limit: limit, &found) else { return false }
      let count = moving.count
      for registered in found.registered where registered.isLineFollowed && !isStuck(registered.slot, in: found) {
        moving.insert(registered.slot)
      }
      if moving.count == count { return true }
    }
  }

  /// Returns whether the first in line gets no place while the found fibers are held up.
  func isStuck(_ registration: RegistrationSlot, in found: borrowing Standstill) -> Bool {
    let first = registry[registration].waiting.first
    guard first.exists, case .queued(let width, _) = fibers[first].activity, let held = found[registration]
    else { return false }
    return width == 0 ? held.isCleaningUp : held.places >= width
  }

  // MARK: What waits for a fiber

  /// Searches for the fibers that `slot` holds up; visits each once, from the one that holds it up.
  ///
  /// - Returns: true if they are not more than the limit.
  @discardableResult
  func search(
    from slot: FiberSlot, passingJoins: Bool, moving: Set<RegistrationSlot>, limit: Int, _ found: inout Standstill
  ) -> Bool {
    found.begin(from: slot, limit: limit)
    while let current = found.pending.popLast() {
      if let registration = scopeInFlight(current) {
        let isCleaningUp = fibers[current].flags.contains(.releasesLate)
        let hasPlace = isCleaningUp || isHolder(current)
        let place = found.note(registration, current, hasPlace: hasPlace, isCleaningUp: isCleaningUp)
        if place.isNew, passingJoins {
          for joiner in registry[registration].joiners where !isCancelled(joiner) {
            guard found.add(joiner.slot, after: current) else { return false }
          }
        }
        if hasPlace, !moving.contains(registration), found.followLine(at: place.index) {
          var next = registry[registration].waiting.first
          while next.exists {
            guard found.add(next, after: current) else { return false }
            next = fibers[next].nextHolder
          }
        }
      }
      if let origin = fibers[current].origin, !found.add(origin, after: current) { return false }
      let parent = fibers[current].parent
      if parent.exists, isHeldUp(parent, by: current), !found.add(parent, after: current) { return false }
    }
    return true
  }

  func scopeInFlight(_ slot: FiberSlot) -> RegistrationSlot? {
    let isSettled = fibers[slot].flags.contains(.settled) && !fibers[slot].flags.contains(.releasesLate)
    return !fibers[slot].registration.exists || isSettled ? nil : fibers[slot].registration
  }

  private func isHolder(_ slot: FiberSlot) -> Bool {
    switch fibers[slot].activity {
    case .queued, .throttled: false
    default: true
    }
  }

  private func isHeldUp(_ parent: FiberSlot, by slot: FiberSlot) -> Bool {
    // A cancelled fiber stays for its clean-ups, as do the cancelled scopes around it.
    if fibers[slot].flags.contains(.cancelled) { return fibers[parent].flags.contains(.cancelled) }
    if fibers[parent].flags.contains(.cancelled) { return true }
    guard fibers[slot].flags.contains(.attached) else { return false }
    switch fibers[parent].activity {
    case .racing, .bounding: return false
    default: return true
    }
  }

  // MARK: What identifiers wait for

  /// Searches for the fiber among those that the identifiers wait for, or, where it stands in line, the holders of
  /// their places.
  private func look(
    out registrations: [RegistrationSlot], from slot: FiberSlot, inLine: Bool, _ outlook: inout Outlook
  ) -> Outlook.Finding {
    for registration in registrations {
      if let finding = follow(registration, withLine: !inLine, &outlook) { return finding }
    }
    while let current = outlook.pending.popLast() {
      // A cancelled fiber waits for clean-ups, which lie elsewhere.
      if current == slot || fibers[current].flags.contains(.cancelled) { return .fiber }
      switch fibers[current].activity {
      case .joining(_, let joined):
        for registration in joined {
          if let finding = follow(registration, withLine: true, &outlook) { return finding }
        }
      case .queued:
        if let finding = follow(fibers[current].registration, withLine: true, &outlook) { return finding }
      case .ready, .evaluating, .operating, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding, .backingOff,
        .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .ticking,
        .emitting:
        break
      }
      guard outlook.add(fibers[current].firstChild, through: { fibers[$0].next }) else { return .unknown }
    }
    return .nothing
  }

  /// - Returns: `nil` if the search goes on.
  private func follow(
    _ registration: RegistrationSlot, withLine: Bool, _ outlook: inout Outlook
  ) -> Outlook.Finding? {
    if outlook.registrations.contains(registration) { return nil }
    // Its clean-ups may lie anywhere in the tree, and are not followed.
    if registry[registration].cleaningUp > 0 { return .fiber }
    guard outlook.add(registry[registration].holders.first, through: { fibers[$0].nextHolder }) else { return .unknown }
    guard withLine else { return nil }
    outlook.registrations.insert(registration)
    let isWhole =
      outlook.add(registry[registration].waiting.first, through: { fibers[$0].nextHolder })
      && outlook.add(registry[registration].throttled, through: { _ in .none })
    return isWhole ? nil : .unknown
  }
}

/// The fibers that some identifiers wait for.
private struct Outlook: ~Copyable {
  enum Finding {
    case nothing
    /// The fiber is among them, or may be.
    case fiber
    /// They are more than the limit.
    case unknown
  }

  var pending: [FiberSlot] = []
  /// The registrations that were followed with their lines.
  var registrations: Set<RegistrationSlot> = []
  private(set) var count = 0
  private let limit: Int
  /// The fibers that were found; not kept by a short search.
  private let isFound: SlotMap<FiberSlot>

  /// - Parameter fiberCount: the size of the table of fibers, or 0 for a short search.
  init(limit: Int, fiberCount: Int) {
    self.limit = limit
    isFound = SlotMap(count: fiberCount)
  }

  /// Adds a list of fibers.
  ///
  /// - Returns: true if they are not more than the limit, with those before them.
  mutating func add(_ first: FiberSlot, through next: (FiberSlot) -> FiberSlot) -> Bool {
    var slot = first
    while slot.exists {
      if isFound.isEmpty || isFound[slot] == 0 {
        guard count < limit else { return false }
        if !isFound.isEmpty { isFound[slot] = 1 }
        count += 1
        pending.append(slot)
      }
      slot = next(slot)
    }
    return true
  }
}

/// The fibers and registrations that a waiting fiber holds up.
struct Standstill: ~Copyable {
  /// The held-up fibers under one identifier.
  struct Registered {
    let slot: RegistrationSlot
    /// The first fiber that was found, one with a place if there is one.
    var witness: FiberSlot
    var places = 0
    var isCleaningUp = false
    var isLineFollowed = false
  }

  private(set) var registered: [Registered] = []
  var pending: [FiberSlot] = []
  private var start = FiberSlot.none
  private var limit = Int.max
  /// The fibers, without the one that the search began with.
  private var fibers: [FiberSlot] = []
  /// For each fiber the number of the fiber that holds it up, plus 1.
  private let causes: SlotMap<FiberSlot>
  /// For each registration its place in the list, plus 1.
  private let places: SlotMap<RegistrationSlot>

  init(fiberCount: Int, registrationCount: Int) {
    causes = SlotMap(count: fiberCount)
    places = SlotMap(count: registrationCount)
  }

  /// The number of fibers that were found.
  var count: Int { fibers.count }

  /// Forgets what was found, in time linear in it.
  mutating func begin(from slot: FiberSlot, limit: Int) {
    for fiber in fibers { causes[fiber] = 0 }
    for place in registered { places[place.slot] = 0 }
    fibers.removeAll(keepingCapacity: true)
    registered.removeAll(keepingCapacity: true)
    start = slot
    pending = [slot]
    self.limit = limit
  }

  subscript(registration: RegistrationSlot) -> Registered? {
    let place = places[registration]
    return place == 0 ? nil : registered[Int(place) - 1]
  }

  /// Returns the fiber that holds up another one.
  func cause(of slot: FiberSlot) -> FiberSlot? {
    let cause = causes[slot]
    return cause == 0 ? nil : FiberSlot(number: cause - 1)
  }

  /// - Returns: true if the fibers are not more than the limit.
  mutating func add(_ slot: FiberSlot, after cause: FiberSlot) -> Bool {
    guard slot != start, causes[slot] == 0 else { return true }
    guard fibers.count < limit else { return false }
    causes[slot] = cause.number + 1
    fibers.append(slot)
    pending.append(slot)
    return true
  }

  /// - Returns: the place of the registration, and whether the fiber is the first under it.
  mutating func note(
    _ registration: RegistrationSlot, _ slot: FiberSlot, hasPlace: Bool, isCleaningUp: Bool
  ) -> (index: Int, isNew: Bool) {
    let isNew = places[registration] == 0
    if isNew {
      registered.append(Registered(slot: registration, witness: slot))
      places[registration] = UInt32(registered.count)
    }
    let index = Int(places[registration]) - 1
    if hasPlace, registered[index].places == 0 { registered[index].witness = slot }
    if hasPlace { registered[index].places += 1 }
    if isCleaningUp { registered[index].isCleaningUp = true }
    return (index, isNew)
  }

  /// - Returns: true the first time.
  mutating func followLine(at index: Int) -> Bool {
    defer { registered[index].isLineFollowed = true }
    return !registered[index].isLineFollowed
  }
}
