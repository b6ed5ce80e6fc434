/// Circles of effects that wait for each other by their identifiers, and that would wait for ever.
///
/// A strand that waits holds up the strands that it is an attached part of. A scope that is held up holds up those that
/// join it, and, once too few of its identifier's places are left, those in line behind it. A circle is closed when
/// that comes back to what the strand would wait for. It is looked for when a `join` begins, and, as long as there are
/// joins, when a scope comes to stand in line. In both cases it is the join that does not wait. A race and a timeout
/// may end without what is held up in them, so the search ends there.
extension Machine {
  /// True if the strand waits for an effect of another store.
  func lifts(_ id: StrandID) -> Bool { strands[Int(id.slot)].flags.contains(.lifts) }

  /// A join begins.
  ///
  /// - Returns: those of the registrations that it can wait for, and not for ever.
  mutating func withoutCircles(_ joined: [Int32], _ slot: Int32, _ pass: inout Pass<P>) -> [Int32] {
    guard mayHoldUpScopes(slot) else { return joined }
    let found = standstill(from: slot)
    for registration in Set(joined).sorted() { reportCircle(through: registration, of: found, &pass) }
    return joined.filter { found.registrations[$0] == nil }
  }

  /// A scope has come to stand in line: the joins that hold up its place, because of the scope itself, wait for nothing
  /// of it any more.
  mutating func breakCircles(of scope: Int32, _ pass: inout Pass<P>) {
    guard joinCount > 0, mayHoldUpScopes(scope) else { return }
    let registration = strands[Int(scope)].registration
    let found = standstill(from: scope)
    guard isStuck(registration, in: found) else { return }
    let heldUp = found.registrations.keys.sorted {
      registrations[Int($0)].sequence < registrations[Int($1)].sequence
    }
    var (giving, others): (Set<StrandID>, Set<StrandID>) = ([], [])
    for joined in heldUp {
      for joiner in registrations[Int(joined)].joiners where !isCancelled(joiner) && !giving.contains(joiner) {
        guard !others.contains(joiner) else { continue }
        if holdsUpPlace(joiner.slot, of: registration) { giving.insert(joiner) } else { others.insert(joiner) }
      }
    }
    guard !giving.isEmpty else { return }
    reportCircle(through: registration, of: found, &pass)
    for joined in heldUp { release(giving, from: joined, &pass) }
  }

  private mutating func release(_ joiners: Set<StrandID>, from registration: Int32, _ pass: inout Pass<P>) {
    let all = registrations[Int(registration)].joiners
    guard all.contains(where: { joiners.contains($0) }) else { return }
    registrations[Int(registration)].joiners = all.filter { !joiners.contains($0) }
    for id in all.reversed() where joiners.contains(id) { endWait(of: id, for: registration, &pass) }
  }

  /// Whether anything may wait for the strand, or for what it is part of.
  private func mayHoldUpScopes(_ slot: Int32) -> Bool {
    strands[Int(slot)].scope >= 0 || !origins.isEmpty || mayBeJoined(slot)
  }

  private func mayBeJoined(_ slot: Int32) -> Bool {
    guard case .queued = strands[Int(slot)].activity else { return strands[Int(slot)].registration >= 0 }
    return false
  }

  private func holdsUpPlace(_ slot: Int32, of registration: Int32) -> Bool {
    let held = search(from: slot, passingJoins: false, moving: []).registrations[registration]
    return held.map { $0.places > 0 } ?? false
  }

  // MARK: The search

  /// All that waits as long as `slot` does.
  private func standstill(from slot: Int32) -> Standstill {
    // Lines that move on, because enough of their places are not held up.
    var moving: Set<Int32> = []
    while true {
      let found = search(from: slot, passingJoins: true, moving: moving)
      let more = found.lines.filter { !isStuck($0, in: found) }
      if more.isEmpty { return found }
      moving.formUnion(more)
    }
  }

  /// Whether the first in line gets no place as long as what is held up is.
  private func isStuck(_ registration: Int32, in found: Standstill) -> Bool {
    let first = registrations[Int(registration)].waiting.first
    guard first >= 0, case .queued(let width, _) = strands[Int(first)].activity,
      let held = found.registrations[registration]
    else { return false }
    return width == 0 ? held.isCleaningUp : held.places >= width
  }

  /// Each strand is visited once, from the one that holds it up.
  private func search(from slot: Int32, passingJoins: Bool, moving: Set<Int32>) -> Standstill {
    var found = Standstill(from: slot)
    while let current = found.pending.popLast() {
      if let registration = scopeInFlight(current) {
        let isCleaningUp = strands[Int(current)].flags.contains(.releasesLate)
        let hasPlace = isCleaningUp || isHolder(current)
        let isFirst = found.note(registration, current, hasPlace: hasPlace, isCleaningUp: isCleaningUp)
        if isFirst, passingJoins {
          for joiner in registrations[Int(registration)].joiners where !isCancelled(joiner) {
            found.add(joiner.slot, after: current)
          }
        }
        if hasPlace, !moving.contains(registration), found.lines.insert(registration).inserted {
          var next = registrations[Int(registration)].waiting.first
          while next >= 0 {
            found.add(next, after: current)
            next = strands[Int(next)].nextHolder
          }
        }
      }
      if !origins.isEmpty, let origin = origins[current] { found.add(origin, after: current) }
      let parent = strands[Int(current)].parent
      if parent >= 0, isHeldUp(parent, by: current) { found.add(parent, after: current) }
    }
    return found
  }

  private func scopeInFlight(_ slot: Int32) -> Int32? {
    let isSettled = strands[Int(slot)].flags.contains(.settled) && !strands[Int(slot)].flags.contains(.releasesLate)
    return strands[Int(slot)].registration < 0 || isSettled ? nil : strands[Int(slot)].registration
  }

  private func isHolder(_ slot: Int32) -> Bool {
    switch strands[Int(slot)].activity {
    case .queued, .throttled: false
    default: true
    }
  }

  private func isHeldUp(_ parent: Int32, by slot: Int32) -> Bool {
    // A cancelled strand stays for its clean-ups, as do the cancelled scopes around it.
    if strands[Int(slot)].flags.contains(.cancelled) { return strands[Int(parent)].flags.contains(.cancelled) }
    if strands[Int(parent)].flags.contains(.cancelled) { return true }
    guard strands[Int(slot)].flags.contains(.attached) else { return false }
    switch strands[Int(parent)].activity {
    case .racing, .bounding: return false
    default: return true
    }
  }

  private func reportCircle(through registration: Int32, of found: Standstill, _ pass: inout Pass<P>) {
    guard let witness = found.registrations[registration]?.witness else { return }
    var path: [Int32] = []
    var current: Int32? = witness
    while let slot = current {
      if let registration = scopeInFlight(slot), path.last != registration { path.append(registration) }
      current = found.causes[slot]
    }
    // In line behind the first of them.
    if path.count > 1, path.last == path.first { path.removeLast() }
    pass.directives.append(.circle(path.compactMap { registrations[Int($0)].identifier }))
  }
}

/// What a strand that waits holds up.
private struct Standstill {
  /// What is held up under an identifier.
  struct Registered {
    /// The first strand that was found, one with a place if there is one.
    var witness: Int32
    var places = 0
    var isCleaningUp = false
  }

  /// By strands: the strand that holds each up.
  private(set) var causes: [Int32: Int32] = [:]
  private(set) var registrations: [Int32: Registered] = [:]
  /// The registrations whose lines were followed.
  var lines: Set<Int32> = []
  var pending: [Int32]
  private let start: Int32

  init(from slot: Int32) {
    start = slot
    pending = [slot]
  }

  mutating func add(_ slot: Int32, after cause: Int32) {
    guard slot != start, causes[slot] == nil else { return }
    causes[slot] = cause
    pending.append(slot)
  }

  /// - Returns: whether it is the first under its identifier.
  mutating func note(_ registration: Int32, _ slot: Int32, hasPlace: Bool, isCleaningUp: Bool) -> Bool {
    let isFirst = registrations[registration] == nil
    if isFirst { registrations[registration] = Registered(witness: slot) }
    if hasPlace, registrations[registration]?.places == 0 { registrations[registration]?.witness = slot }
    if hasPlace { registrations[registration]?.places += 1 }
    if isCleaningUp { registrations[registration]?.isCleaningUp = true }
    return isFirst
  }
}
