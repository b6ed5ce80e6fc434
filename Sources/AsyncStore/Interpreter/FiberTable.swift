/// The fibers of one machine: a table with reusable slots, and the tree that the fibers form.
///
/// Roots are siblings of each other. Siblings are linked in insertion order, and `previous` of the first sibling is the
/// last, so that inserting and removing take constant time.
struct FiberTable<P: Program>: ~Copyable {
  private var fibers = UniqueArray<Fiber<P>>()
  private var freeSlots = UniqueArray<FiberSlot>()
  /// Up to 16 vacated rare states for reuse.
  private var spares = UniqueArray<UnsafeMutablePointer<RareState<P>>>()
  private(set) var firstRoot = FiberSlot.none
  /// The last of the first roots that searches need not visit again, or none; a root that goes away is replaced by the
  /// one before it.
  var lastPassedRoot = FiberSlot.none
  /// The number of slots that have a tenant.
  private(set) var liveCount = 0
  /// The last number given to a fiber, or to an effect that needs no fiber.
  private(set) var lastNumber: UInt64 = 0

  /// The number of slots that keep their description box for the next tenant.
  private static var captionCount: Int { 64 }

  /// The number of slots, free ones included.
  var count: Int { fibers.count }

  /// All slots, free ones included.
  var slots: some Sequence<FiberSlot> { (0..<fibers.count).lazy.map { FiberSlot(index: $0) } }

  subscript(slot: FiberSlot) -> Fiber<P> {
    @inline(__always) unsafeAddress { UnsafePointer(fibers.place(of: slot.index)) }
    @inline(__always) unsafeMutableAddress { fibers.place(of: slot.index) }
  }

  // MARK: Identity

  func id(of slot: FiberSlot) -> FiberID { FiberID(slot: slot, generation: self[slot].generation) }

  /// Returns whether this fiber still exists, cancelled or not.
  func isAlive(_ id: FiberID) -> Bool {
    id.slot.index < fibers.count && self[id.slot].generation == id.generation
      && self[id.slot].flags.contains(.occupied)
  }

  /// Returns whether this fiber is cancelled or gone.
  func isCancelled(_ id: FiberID) -> Bool { !isAlive(id) || self[id.slot].flags.contains(.cancelled) }

  var roots: [FiberID] {
    var roots: [FiberID] = []
    var root = firstRoot
    while root.exists {
      roots.append(id(of: root))
      root = self[root].next
    }
    return roots
  }

  // MARK: Slots

  /// - Returns: a slot with a new fiber, which is not in a tree yet.
  mutating func allocate(begun: Moment) -> FiberSlot {
    liveCount += 1
    let slot: FiberSlot
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = FiberSlot(index: fibers.count)
      fibers.append { Fiber() }
    }
    self[slot].flags = .occupied
    self[slot].begun = begun
    renumber(slot)
    return slot
  }

  /// Gives the fiber a new number, so that events for the former tenant of its slot are ignored.
  @inline(__always)
  mutating func renumber(_ slot: FiberSlot) { self[slot].number = nextNumber() }

  /// Returns a number that no fiber has or has had.
  @inline(__always)
  mutating func nextNumber() -> UInt64 {
    lastNumber &+= 1
    return lastNumber
  }

  /// Removes the fiber from its tree and frees its slot.
  mutating func free(_ slot: FiberSlot, to released: inout ReleasedParts<P>) {
    removeFromParent(slot)
    if let rare = self[slot].rare.take() {
      rare.pointee.vacate(to: &released)
      if spares.count < 16 { spares.append(rare) } else { Self.release(rare) }
    }
    self[slot].vacate(to: &released)
    if slot.index >= Self.captionCount { self[slot].releaseCaption() }
    freeSlots.append(slot)
    liveCount -= 1
  }

  /// Frees the memory of a table without tenants.
  ///
  /// Numbers continue, so that an event still on its way cannot name a new tenant.
  mutating func releaseMemory() {
    precondition(liveCount == 0, "fibers are alive")
    for index in 0..<min(fibers.count, Self.captionCount) { self[FiberSlot(index: index)].releaseCaption() }
    fibers.forgetAll()
    freeSlots = UniqueArray()
    while let spare = spares.popLast() { Self.release(spare) }
  }

  // MARK: Rare state

  /// Returns the fiber's rare state, creating it if there is none; the pointer is valid while the fiber exists.
  mutating func makeRare(of slot: FiberSlot) -> UnsafeMutablePointer<RareState<P>> {
    if let rare = self[slot].rare { return rare }
    let made: UnsafeMutablePointer<RareState<P>>
    if let spare = spares.popLast() {
      made = spare
    } else {
      made = Memory.allocate(for: RareState<P>.self)
      made.initialize(to: RareState())
    }
    self[slot].rare = made
    return made
  }

  private static func release(_ rare: UnsafeMutablePointer<RareState<P>>) {
    rare.deinitialize(count: 1)
    Memory.release(rare)
  }

  deinit {
    // A table without slots has no spares either.
    guard fibers.count > 0 else { return }
    for index in 0..<fibers.count { if let rare = fibers[index].rare { Self.release(rare) } }
    for index in 0..<spares.count { Self.release(spares[index]) }
  }

  // MARK: The tree

  /// Appends the fiber to the children of `parent`, or to the roots if there is no parent.
  mutating func insert(_ slot: FiberSlot, under parent: FiberSlot) {
    self[slot].parent = parent
    self[slot].next = .none
    let first = firstChild(of: parent)
    if first.exists {
      let last = self[first].previous
      self[slot].previous = last
      self[last].next = slot
      self[first].previous = slot
    } else {
      self[slot].previous = slot
      setFirstChild(slot, of: parent)
    }
  }

  mutating func removeFromParent(_ slot: FiberSlot) {
    let parent = self[slot].parent
    let (previous, next) = (self[slot].previous, self[slot].next)
    let first = firstChild(of: parent)
    if slot == lastPassedRoot { lastPassedRoot = first == slot ? .none : previous }
    if first == slot {
      setFirstChild(next, of: parent)
      if next.exists { self[next].previous = previous }
    } else {
      self[previous].next = next
      self[next.exists ? next : first].previous = previous
    }
  }

  /// Returns the next fiber below `top`, parents before children; none at the end.
  ///
  /// - Parameter descends: false to skip the descendants of `slot`.
  func next(after slot: FiberSlot, below top: FiberSlot, descends: Bool = true) -> FiberSlot {
    if descends, self[slot].firstChild.exists { return self[slot].firstChild }
    var current = slot
    while current != top, !self[current].next.exists { current = self[current].parent }
    return current == top ? .none : self[current].next
  }

  private func firstChild(of parent: FiberSlot) -> FiberSlot {
    parent.exists ? self[parent].firstChild : firstRoot
  }

  private mutating func setFirstChild(_ child: FiberSlot, of parent: FiberSlot) {
    if parent.exists { self[parent].firstChild = child } else { firstRoot = child }
  }

  // MARK: Lists of an identifier

  /// Appends the fiber to one of its registration's lists.
  mutating func append(_ slot: FiberSlot, to list: inout SlotList) {
    let last = list.last
    self[slot].previousHolder = last
    self[slot].nextHolder = .none
    if last.exists { self[last].nextHolder = slot } else { list.first = slot }
    list.last = slot
    list.count += 1
  }

  mutating func remove(_ slot: FiberSlot, from list: inout SlotList) {
    let (previous, next) = (self[slot].previousHolder, self[slot].nextHolder)
    if previous.exists { self[previous].nextHolder = next } else { list.first = next }
    if next.exists { self[next].previousHolder = previous } else { list.last = previous }
    list.count -= 1
    self[slot].previousHolder = .none
    self[slot].nextHolder = .none
  }
}
