/// The entry of one identifier: its holders, the effects that wait for it, and those that wait for its end.
struct Registration<Identifier> {
  /// The identifier, or `nil` if the place is free.
  var identifier: Identifier?
  /// A number that is larger for each identifier that comes into use later.
  var sequence: UInt64 = 0
  var holders = SlotList()
  /// Fibers of a queueing policy, or of `replaceAfterCleanup`, that have not begun.
  var waiting = SlotList()
  /// True if the waiting fibers may need different numbers of places.
  var hasMixedWidths = false
  /// The number of holders whose attached part has not settled.
  var active: Int32 = 0
  /// The number of cancelled holders whose operations have not returned, or whose cleanup has not settled.
  var cleaningUp: Int32 = 0
  /// Fibers to tell when nothing is in flight under the identifier.
  var joiners: [FiberID] = []
  /// The number of joiners that have been cancelled since they joined.
  var formerJoiners = 0
  /// The fiber that sleeps until a throttle's window ends, and the one that waits for it.
  var window = FiberSlot.none
  var throttled = FiberSlot.none

  var isUnused: Bool { holders.isEmpty && waiting.isEmpty && cleaningUp == 0 && !throttled.exists }
  /// True if nothing is in flight under the identifier; a throttle's window is no effect.
  var isFree: Bool {
    holders.count == (window.exists ? 1 : 0) && waiting.isEmpty && cleaningUp == 0 && !throttled.exists
  }
  /// The number of taken places of a queueing policy; a cancelled holder keeps its place until it is gone.
  var occupied: Int { Int(active) + Int(cleaningUp) }
  /// True if nothing under the identifier is running, waiting to run, or cleaning up.
  var isIdle: Bool { active == 0 && cleaningUp == 0 && waiting.isEmpty && !throttled.exists }
}

/// The ends of a list that is linked through `nextHolder` and `previousHolder` of its fibers.
struct SlotList: Equatable {
  var first = FiberSlot.none
  var last = FiberSlot.none
  var count: Int32 = 0

  var isEmpty: Bool { !first.exists }
}

/// The identifiers of one machine that are in use.
struct ScopeRegistry<Identifier: ScopeIdentifier>: ~Copyable {
  private var slots = [Identifier: RegistrationSlot]()
  private var registrations = UniqueArray<Registration<Identifier>>()
  private var freeSlots = UniqueArray<RegistrationSlot>()
  private var sequence: UInt64 = 0
  /// The identifiers in use under some prefixes; `nil` as long as nobody asks.
  private var tally: PrefixTally<Identifier>?

  var isEmpty: Bool { slots.isEmpty }

  /// The number of places, free ones included.
  var count: Int { registrations.count }

  /// All places, free ones included.
  var places: some Sequence<RegistrationSlot> { (0..<registrations.count).lazy.map { RegistrationSlot(index: $0) } }

  subscript(slot: RegistrationSlot) -> Registration<Identifier> {
    @inline(__always) unsafeAddress { UnsafePointer(registrations.place(of: slot.index)) }
    @inline(__always) unsafeMutableAddress { registrations.place(of: slot.index) }
  }

  /// Returns the registration of an identifier, made if there is none.
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

  /// Records that an identifier comes into use again.
  mutating func renew(_ slot: RegistrationSlot) {
    sequence &+= 1
    self[slot].sequence = sequence
  }

  /// Frees the place, if nothing is left under its identifier.
  ///
  /// - Returns: the identifier, if its release could call the store.
  mutating func removeIfUnused(_ slot: RegistrationSlot) -> Identifier? {
    guard self[slot].isUnused, let identifier = self[slot].identifier else { return nil }
    slots[identifier] = nil
    tally?.note(identifier, isInUse: false)
    // An unused registration may still have these; the rest is as in a new one.
    self[slot].identifier = nil
    self[slot].window = .none
    self[slot].joiners = []
    self[slot].formerJoiners = 0
    self[slot].hasMixedWidths = false
    freeSlots.append(slot)
    return identifier.holdsReferences ? identifier : nil
  }

  /// Gives back the memory; called where nothing is alive.
  mutating func releaseMemory() {
    slots = [:]
    registrations = UniqueArray()
    freeSlots = UniqueArray()
  }

  // MARK: Counts

  /// Counts the identifiers under a prefix from now on.
  ///
  /// - Complexity: linear in the identifiers in use for the first call with a prefix, which counts those.
  mutating func beginCounting(under prefix: Identifier) {
    let tally = self.tally ?? PrefixTally()
    self.tally = tally
    guard tally.count(under: prefix) == nil else { return }
    tally.begin(prefix, with: slots.keys.count { $0.isUnder(prefix) })
  }

  /// Returns the number of identifiers in use under a prefix that is counted; the effects that have the prefix itself
  /// as their identifier count one by one.
  ///
  /// - Complexity: linear in the prefixes that are counted.
  func count(under prefix: Identifier) -> Int {
    guard let count = tally?.count(under: prefix) else { return 0 }
    guard let slot = slots[prefix] else { return count }
    let effects = self[slot].holders.count + self[slot].waiting.count + self[slot].cleaningUp
    return count - 1 + Int(max(effects, 1))
  }

  // MARK: Selections

  /// Returns the registrations that a selection names, in the order their identifiers came into use.
  func registrations(selectedBy selection: Selection<Identifier>) -> [RegistrationSlot] {
    switch selection {
    case .identifiers(let identifiers): identifiers.compactMap { slots[$0] }
    case .prefix(let prefix): registrationsInOrder { $0.isUnder(prefix) }
    case .all: registrationsInOrder { _ in true }
    }
  }

  /// The number of identifiers that a search for a selection looks at.
  func visits(of selection: Selection<Identifier>) -> Int {
    switch selection {
    case .identifiers(let identifiers): identifiers.count
    case .prefix, .all: registrations.count
    }
  }

  /// Returns the selected registrations in a fixed order, because dictionaries have none and replay needs one.
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
