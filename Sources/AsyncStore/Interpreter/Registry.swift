/// The identifiers of one store: who holds each, who waits for it, who waits for its end.
///
/// Holders and waiting strands are linked through their strands' own fields, so that a strand leaves in constant time.
struct Registration<Identifier> {
  var identifier: Identifier
  /// Counts up with each identifier that comes into use.
  var sequence: UInt64
  var holders = SlotList()
  /// Strands of a queueing policy, or of `replaceAfterCleanup`, that have not begun.
  var waiting = SlotList()
  /// Holders whose attached part has not settled.
  var active: Int32 = 0
  /// Cancelled holders whose operations have not returned.
  var cleaningUp: Int32 = 0
  /// Strands to tell when nothing is in flight under the identifier.
  var joiners: [StrandID] = []
  /// The strand that sleeps until a throttle's window ends, and the one that waits for it.
  var window: Int32 = -1
  var throttled: Int32 = -1

  var isUnused: Bool { holders.isEmpty && waiting.isEmpty && cleaningUp == 0 && throttled < 0 }
  /// Nothing under the identifier is running, waiting to run, or cleaning up.
  var isIdle: Bool { active == 0 && cleaningUp == 0 && waiting.isEmpty && throttled < 0 }
}

/// The ends of a list that is linked through `nextHolder` and `previousHolder` of its strands.
struct SlotList: Equatable {
  var first: Int32 = -1
  var last: Int32 = -1
  var count: Int32 = 0

  var isEmpty: Bool { first < 0 }
}

extension Machine {
  /// The registration of an identifier, made if there is none.
  mutating func registration(for identifier: P.Identifier) -> Int32 {
    if let slot = names[identifier] { return slot }
    let slot: Int32
    registrationSequence &+= 1
    let registration = Registration(identifier: identifier, sequence: registrationSequence)
    if let free = freeRegistrations.popLast() {
      slot = free
      registrations[Int(slot)] = registration
    } else {
      slot = Int32(registrations.count)
      registrations.append(registration)
    }
    names[identifier] = slot
    return slot
  }

  mutating func removeRegistrationIfUnused(_ registration: Int32) {
    guard let entry = registrations[Int(registration)], entry.isUnused else { return }
    names[entry.identifier] = nil
    registrations[Int(registration)] = nil
    freeRegistrations.append(registration)
  }

  mutating func link(
    _ slot: Int32, to list: WritableKeyPath<Registration<P.Identifier>, SlotList>, of registration: Int32
  ) {
    var ends = registrations[Int(registration)]![keyPath: list]
    strands[Int(slot)].registration = registration
    strands[Int(slot)].previousHolder = ends.last
    strands[Int(slot)].nextHolder = -1
    if ends.last >= 0 { strands[Int(ends.last)].nextHolder = slot } else { ends.first = slot }
    ends.last = slot
    ends.count += 1
    registrations[Int(registration)]![keyPath: list] = ends
  }

  mutating func unlink(_ slot: Int32, from list: WritableKeyPath<Registration<P.Identifier>, SlotList>) {
    unlinkFreed(strands[Int(slot)], from: list)
    strands[Int(slot)].previousHolder = -1
    strands[Int(slot)].nextHolder = -1
  }

  /// Unlinks a strand whose slot has been given back already.
  mutating func unlinkFreed(_ strand: Strand<P>, from list: WritableKeyPath<Registration<P.Identifier>, SlotList>) {
    let registration = Int(strand.registration)
    var ends = registrations[registration]![keyPath: list]
    let (previous, next) = (strand.previousHolder, strand.nextHolder)
    if previous >= 0 { strands[Int(previous)].nextHolder = next } else { ends.first = next }
    if next >= 0 { strands[Int(next)].previousHolder = previous } else { ends.last = previous }
    ends.count -= 1
    registrations[registration]![keyPath: list] = ends
  }

  /// The registrations that a selection names, in the order their identifiers came into use.
  func registrations(selectedBy selection: Selection<P.Identifier>) -> [Int32] {
    switch selection {
    case .identifiers(let identifiers):
      return identifiers.compactMap { names[$0] }
    case .prefix(let prefix):
      return registrationsInOrder { $0.isUnder(prefix) }
    case .all:
      return registrationsInOrder { _ in true }
    }
  }

  /// Dictionaries have no order of their own, and replay needs one.
  private func registrationsInOrder(where isSelected: (P.Identifier) -> Bool) -> [Int32] {
    var selected: [(sequence: UInt64, slot: Int32)] = []
    for (slot, entry) in registrations.enumerated() {
      if let entry, isSelected(entry.identifier) { selected.append((entry.sequence, Int32(slot))) }
    }
    return selected.sorted { $0.sequence < $1.sequence }.map(\.slot)
  }
}
