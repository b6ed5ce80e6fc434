/// The identifiers that one machine has in use.
struct ScopeRegistry<Identifier: ScopeIdentifier>: ~Copyable {
  private var slots = [Identifier: RegistrationSlot]()
  private var registrations = UniqueArray<Registration<Identifier>>()
  private var freeSlots = UniqueArray<RegistrationSlot>()
  private var sequence: UInt64 = 0
  /// The counts of identifiers in use under some prefixes; `nil` until somebody asks.
  private var tally: PrefixTally<Identifier>?

  var isEmpty: Bool { slots.isEmpty }

  /// The number of slots, free ones included.
  var count: Int { registrations.count }

  /// All slots, free ones included.
  var places: some Sequence<RegistrationSlot> { (0..<registrations.count).lazy.map { RegistrationSlot(index: $0) } }

  subscript(slot: RegistrationSlot) -> Registration<Identifier> {
    @inline(__always) unsafeAddress { UnsafePointer(registrations.place(of: slot.index)) }
    @inline(__always) unsafeMutableAddress { registrations.place(of: slot.index) }
  }

  /// Returns the registration of an identifier, creating it if there is none.
  mutating func register(_ identifier: Identifier) -> RegistrationSlot {
    if let slot = slots[identifier] { return slot }
    let slot: RegistrationSlot
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = RegistrationSlot(index: registrations.count)
      registrations.append { Registration() }
    }
    self[slot].identifier = identifier
    renew(slot)
    slots[identifier] = slot
    tally?.note(identifier, isInUse: true)
    return slot
  }

  /// Records that an identifier has come into use again.
  mutating func renew(_ slot: RegistrationSlot) {
    sequence &+= 1
    self[slot].sequence = sequence
  }

  /// Frees the slot if nothing is left under its identifier.
  ///
  /// - Returns: the identifier, if its release could call the store.
  mutating func removeIfUnused(_ slot: RegistrationSlot) -> Identifier? {
    guard self[slot].isUnused, let identifier = self[slot].identifier else { return nil }
    slots[identifier] = nil
    tally?.note(identifier, isInUse: false)
    self[slot].clear()
    freeSlots.append(slot)
    return identifier.holdsReferences ? identifier : nil
  }

  /// Frees the memory; called when nothing is alive.
  mutating func releaseMemory() {
    slots = [:]
    registrations = UniqueArray()
    freeSlots = UniqueArray()
  }

  // MARK: Counts

  /// Counts the identifiers under a prefix from now on.
  ///
  /// - Complexity: for the first call with a prefix, which counts them, linear in the identifiers in use.
  mutating func beginCounting(under prefix: Identifier) {
    let tally = self.tally ?? PrefixTally()
    self.tally = tally
    guard tally.count(under: prefix) == nil else { return }
    tally.begin(prefix, with: slots.keys.count { $0.isUnder(prefix) })
  }

  /// Returns the number of identifiers in use under a counted prefix.
  ///
  /// Effects whose identifier is the prefix itself are counted individually.
  ///
  /// - Complexity: linear in the number of counted prefixes.
  func count(under prefix: Identifier) -> Int {
    guard let count = tally?.count(under: prefix) else { return 0 }
    guard let slot = slots[prefix] else { return count }
    let effects = self[slot].holders.count + self[slot].waiting.count + self[slot].cleaningUp
    return count - 1 + Int(max(effects, 1))
  }

  // MARK: Selections

  /// Returns the registrations that a selection names, in the order in which their identifiers came into use.
  func registrations(selectedBy selection: Selection<Identifier>) -> [RegistrationSlot] {
    switch selection {
    case .identifiers(let identifiers): identifiers.compactMap { slots[$0] }
    case .prefix(let prefix): registrationsInOrder { $0.isUnder(prefix) }
    case .all: registrationsInOrder { _ in true }
    }
  }

  /// The number of identifiers that the search for a selection visits.
  func visits(of selection: Selection<Identifier>) -> Int {
    switch selection {
    case .identifiers(let identifiers): identifiers.count
    case .prefix, .all: registrations.count
    }
  }

  /// Returns the selected registrations in a fixed order: dictionaries have none, and replay needs one.
  private func registrationsInOrder(where isSelected: (Identifier) -> Bool) -> [RegistrationSlot] {
    var selected: [RegistrationSlot] = []
    for slot in places {
      if let identifier = self[slot].identifier, isSelected(identifier) { selected.append(slot) }
    }
    return selected.sorted { self[$0].sequence < self[$1].sequence }
  }
}

/// The numbers of identifiers in use under some prefixes.
private final class PrefixTally<Identifier: ScopeIdentifier> {
  private var counts: [(prefix: Identifier, count: Int)] = []

  func begin(_ prefix: Identifier, with count: Int) { counts.append((prefix, count)) }

  func count(under prefix: Identifier) -> Int? { counts.first { $0.prefix == prefix }?.count }

  func note(_ identifier: Identifier, isInUse: Bool) {
    for index in counts.indices where identifier.isUnder(counts[index].prefix) {
      counts[index].count += isInUse ? 1 : -1
    }
  }
}
