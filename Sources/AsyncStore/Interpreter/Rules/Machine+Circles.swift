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
    guard mayHoldUpScopes(slot), mayHoldUp(joined, slot) else { return joined }
    let found = standstill(from: slot)
    pass.charge(found.causes.count)
    for registration in Set(joined).sorted() { reportCircle(through: registration, of: found, &pass) }
    return joined.filter { found.registrations[$0] == nil }
  }

  /// Ends the waits that keep a scope in line for ever: of joins that hold up its place, and wait for what it holds up.
  mutating func breakCircles(of scope: FiberSlot, _ pass: inout Pass<P>) {
    guard joinCount > 0, mayHoldUpScopes(scope) else { return }
    let registration = fibers[scope].registration
    guard mayHoldUp([registration], scope, inLine: true) else { return }
    let found = standstill(from: scope)
    pass.charge(found.causes.count)
    guard isStuck(registration, in: found) else { return }
    let heldUp = found.registrations.keys.sorted {
      registry[$0].sequence < registry[$1].sequence
    }
    var (giving, others): (Set<FiberID>, Set<FiberID>) = ([], [])
    for joined in heldUp {
      for joiner in registry[joined].joiners where !isCancelled(joiner) && !giving.contains(joiner) {
        guard !others.contains(joiner) else { continue }
        if holdsUpPlace(joiner.slot, of: registration) { giving.insert(joiner) } else { others.insert(joiner) }
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

  private func holdsUpPlace(_ slot: FiberSlot, of registration: RegistrationSlot) -> Bool {
    let held = search(from: slot, passingJoins: false, moving: []).registrations[registration]
    return held.map { $0.places > 0 } ?? false
  }

  // MARK: The short search

  /// Returns whether the fiber may hold up anything of these identifiers, or, where it stands in line, the holders of
  /// places.
  ///
  /// It follows what the identifiers wait for, which is usually little, whereas very much may wait for the fiber. It
  /// answers true where a few fibers don't decide it.
  private func mayHoldUp(_ registrations: [RegistrationSlot], _ slot: FiberSlot, inLine: Bool = false) -> Bool {
    var outlook = Outlook()
    for registration in registrations {
      guard follow(registration, withLine: !inLine, &outlook) else { return true }
    }
    while let current = outlook.pending.popLast() {
      // A cancelled fiber waits for clean-ups, which lie elsewhere.
      if current == slot || fibers[current].flags.contains(.cancelled) { return true }
      switch fibers[current].activity {
      case .joining(_, let joined):
        for registration in joined where !outlook.registrations.contains(registration) {
          guard follow(registration, withLine: true, &outlook) else { return true }
        }
      case .queued:
        let line = fibers[current].registration
        if outlook.registrations.contains(line) { break }
        guard follow(line, withLine: true, &outlook) else { return true }
      case .ready, .evaluating, .operating, .sleeping, .waiting, .turn, .throttled, .retrying, .deciding, .backingOff,
        .handling, .window, .merging, .racing, .bounding, .finalizing, .sequencing, .undoing, .compensating, .ticking,
        .emitting:
        break
      }
      guard outlook.add(fibers[current].firstChild, through: { fibers[$0].next }) else { return true }
    }
    return false
  }

  /// - Returns: true if few fibers have been found so far.
  private func follow(_ registration: RegistrationSlot, withLine: Bool, _ outlook: inout Outlook) -> Bool {
    if registry[registration].cleaningUp > 0 { return false }
    guard outlook.add(registry[registration].holders.first, through: { fibers[$0].nextHolder }) else { return false }
    guard withLine else { return true }
    guard outlook.registrations.count < Outlook.limit else { return false }
    outlook.registrations.append(registration)
    return outlook.add(registry[registration].waiting.first, through: { fibers[$0].nextHolder })
      && outlook.add(registry[registration].throttled, through: { _ in .none })
  }

  // MARK: The search

  /// Returns everything that waits as long as `slot` does.
  private func standstill(from slot: FiberSlot) -> Standstill {
    // Lines that move on, because enough of their places are not held up.
    var moving: Set<RegistrationSlot> = []
    while true {
      let found = search(from: slot, passingJoins: true, moving: moving)
      let more = found.lines.filter { !isStuck($0, in: found) }
      if more.isEmpty { return found }
      moving.formUnion(more)
    }
  }

  /// Returns whether the first in line gets no place while the found fibers are held up.
  private func isStuck(_ registration: RegistrationSlot, in found: Standstill) -> Bool {
    let first = registry[registration].waiting.first
    guard first.exists, case .queued(let width, _) = fibers[first].activity,
      let held = found.registrations[registration]
    else { return false }
    return width == 0 ? held.isCleaningUp : held.places >= width
  }

  /// Searches for the fibers that `slot` holds up; visits each once, from the one that holds it up.
  private func search(from slot: FiberSlot, passingJoins: Bool, moving: Set<RegistrationSlot>) -> Standstill {
    var found = Standstill(from: slot)
    while let current = found.pending.popLast() {
      if let registration = scopeInFlight(current) {
        let isCleaningUp = fibers[current].flags.contains(.releasesLate)
        let hasPlace = isCleaningUp || isHolder(current)
        let isFirst = found.note(registration, current, hasPlace: hasPlace, isCleaningUp: isCleaningUp)
        if isFirst, passingJoins {
          for joiner in registry[registration].joiners where !isCancelled(joiner) {
            found.add(joiner.slot, after: current)
          }
        }
        if hasPlace, !moving.contains(registration), found.lines.insert(registration).inserted {
          var next = registry[registration].waiting.first
          while next.exists {
            found.add(next, after: current)
            next = fibers[next].nextHolder
          }
        }
      }
      if let origin = fibers[current].origin { found.add(origin, after: current) }
      let parent = fibers[current].parent
      if parent.exists, isHeldUp(parent, by: current) { found.add(parent, after: current) }
    }
    return found
  }

  private func scopeInFlight(_ slot: FiberSlot) -> RegistrationSlot? {
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

  private func reportCircle(through registration: RegistrationSlot, of found: Standstill, _ pass: inout Pass<P>) {
    guard let witness = found.registrations[registration]?.witness else { return }
    var path: [RegistrationSlot] = []
    var current: FiberSlot? = witness
    while let slot = current {
      if let registration = scopeInFlight(slot), path.last != registration { path.append(registration) }
      current = found.causes[slot]
    }
    // The path may end in line behind its first scope.
    if path.count > 1, path.last == path.first { path.removeLast() }
    pass.directives.append(.circle(path.compactMap { registry[$0].identifier }))
  }
}

/// The fibers that some identifiers wait for.
private struct Outlook {
  /// The most fibers, and the most identifiers, to look at.
  static let limit = 64

  var pending: [FiberSlot] = []
  /// The registrations that were followed with their lines.
  var registrations: [RegistrationSlot] = []
  private var count = 0

  /// Adds a list of fibers.
  ///
  /// - Returns: true if they are few, with those before them.
  mutating func add(_ first: FiberSlot, through next: (FiberSlot) -> FiberSlot) -> Bool {
    var slot = first
    while slot.exists {
      guard count < Self.limit else { return false }
      count += 1
      pending.append(slot)
      slot = next(slot)
    }
    return true
  }
}

/// The fibers and registrations that a waiting fiber holds up.
private struct Standstill {
  /// The held-up fibers under one identifier.
  struct Registered {
    /// The first fiber that was found, one with a place if there is one.
    var witness: FiberSlot
    var places = 0
    var isCleaningUp = false
  }

  /// The fiber that holds up each fiber.
  private(set) var causes: [FiberSlot: FiberSlot] = [:]
  private(set) var registrations: [RegistrationSlot: Registered] = [:]
  /// The registrations whose lines were followed.
  var lines: Set<RegistrationSlot> = []
  var pending: [FiberSlot]
  private let start: FiberSlot

  init(from slot: FiberSlot) {
    start = slot
    pending = [slot]
  }

  mutating func add(_ slot: FiberSlot, after cause: FiberSlot) {
    guard slot != start, causes[slot] == nil else { return }
    causes[slot] = cause
    pending.append(slot)
  }

  /// - Returns: true if it is the first under its identifier.
  mutating func note(_ registration: RegistrationSlot, _ slot: FiberSlot, hasPlace: Bool, isCleaningUp: Bool) -> Bool {
    let isFirst = registrations[registration] == nil
    if isFirst { registrations[registration] = Registered(witness: slot) }
    if hasPlace, registrations[registration]?.places == 0 { registrations[registration]?.witness = slot }
    if hasPlace { registrations[registration]?.places += 1 }
    if isCleaningUp { registrations[registration]?.isCleaningUp = true }
    return isFirst
  }
}
