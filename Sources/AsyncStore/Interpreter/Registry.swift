/// The identifiers of one store: who holds each, who waits for it, who waits for its end.
///
/// Holders and waiting strands are linked through their strands' own fields, so that a strand leaves in constant time.
struct Registration<Identifier> {
  /// `nil`: the place is free.
  var identifier: Identifier?
  /// Counts up with each identifier that comes into use.
  var sequence: UInt64 = 0
  var holders = SlotList()
  /// Strands of a queueing policy, or of `replaceAfterCleanup`, that have not begun.
  var waiting = SlotList()
  /// Holders whose attached part has not settled.
  var active: Int32 = 0
  /// Cancelled holders whose operations have not returned, or whose clean-up has not settled.
  var cleaningUp: Int32 = 0
  /// Strands to tell when nothing is in flight under the identifier.
  var joiners: [StrandID] = []
  /// How many of them have been cancelled since.
  var formerJoiners = 0
  /// The strand that sleeps until a throttle's window ends, and the one that waits for it.
  var window: Int32 = -1
  var throttled: Int32 = -1

  var isUnused: Bool { holders.isEmpty && waiting.isEmpty && cleaningUp == 0 && throttled < 0 }
  /// How many places of a queueing policy are taken: a cancelled holder keeps its own until it is gone.
  var occupied: Int { Int(active) + Int(cleaningUp) }
  /// Nothing under the identifier is running, waiting to run, or cleaning up.
  var isIdle: Bool { active == 0 && cleaningUp == 0 && waiting.isEmpty && throttled < 0 }
}

/// The ends of a list that is linked through `nextHolder` and `previousHolder` of its strands.
struct SlotList: Equatable {
  /// Which list of a registration.
  enum Name { case holders, waiting }

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
    if let free = freeRegistrations.popLast() {
      slot = free
    } else {
      slot = Int32(registrations.count)
      registrations.append(Registration())
    }
    registrations[Int(slot)].identifier = identifier
    registrations[Int(slot)].sequence = registrationSequence
    names[identifier] = slot
    return slot
  }

  mutating func removeRegistrationIfUnused(_ registration: Int32) {
    guard registration != replaced, registrations[Int(registration)].isUnused,
      let identifier = registrations[Int(registration)].identifier
    else { return }
    names[identifier] = nil
    // All else is as in a new one, save for a window, which ends with its strand.
    registrations[Int(registration)].identifier = nil
    registrations[Int(registration)].window = -1
    registrations[Int(registration)].joiners = []
    registrations[Int(registration)].formerJoiners = 0
    freeRegistrations.append(registration)
  }

  /// The identifier comes into use anew, if it is out of use.
  mutating func renewIfUnused(_ registration: Int32) {
    if registrations[Int(registration)].isUnused { renew(registration) }
  }

  mutating func renew(_ registration: Int32) {
    registrationSequence &+= 1
    registrations[Int(registration)].sequence = registrationSequence
  }

  mutating func link(_ slot: Int32, to list: SlotList.Name, of registration: Int32) {
    let last = ends(of: list, registration).last
    strands[Int(slot)].registration = registration
    strands[Int(slot)].previousHolder = last
    strands[Int(slot)].nextHolder = -1
    if last >= 0 { strands[Int(last)].nextHolder = slot }
    change(list, registration) { ends in
      if last < 0 { ends.first = slot }
      ends.last = slot
      ends.count += 1
    }
  }

  mutating func unlink(_ slot: Int32, from list: SlotList.Name) {
    let (previous, next) = (strands[Int(slot)].previousHolder, strands[Int(slot)].nextHolder)
    if previous >= 0 { strands[Int(previous)].nextHolder = next }
    if next >= 0 { strands[Int(next)].previousHolder = previous }
    change(list, strands[Int(slot)].registration) { ends in
      if previous < 0 { ends.first = next }
      if next < 0 { ends.last = previous }
      ends.count -= 1
    }
    strands[Int(slot)].previousHolder = -1
    strands[Int(slot)].nextHolder = -1
  }

  private func ends(of list: SlotList.Name, _ registration: Int32) -> SlotList {
    switch list {
    case .holders: registrations[Int(registration)].holders
    case .waiting: registrations[Int(registration)].waiting
    }
  }

  /// Not by key path: in generic code the making of one costs more than all else that happens to an identifier.
  private mutating func change(_ list: SlotList.Name, _ registration: Int32, _ body: (inout SlotList) -> Void) {
    switch list {
    case .holders: body(&registrations[Int(registration)].holders)
    case .waiting: body(&registrations[Int(registration)].waiting)
    }
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
    for slot in registrations.indices {
      guard let identifier = registrations[slot].identifier, isSelected(identifier) else { continue }
      selected.append((registrations[slot].sequence, Int32(slot)))
    }
    return selected.sorted { $0.sequence < $1.sequence }.map(\.slot)
  }
}
