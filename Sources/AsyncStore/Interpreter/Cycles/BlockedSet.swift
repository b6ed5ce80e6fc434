/// The fibers and registrations that one or more waiting fibers hold up.
///
/// The set counts how many things hold up each member, so that lines that move on after all can be removed one by one.
struct BlockedSet: ~Copyable {
  /// A held-up fiber, and the way in which it is held up.
  struct Node: Hashable {
    enum Blocked { case settling, leaving }

    let slot: FiberSlot
    let blocked: Blocked

    /// The fiber can't settle.
    static func settling(_ slot: FiberSlot) -> Self { Self(slot: slot, blocked: .settling) }
    /// The fiber has been cancelled and can't be freed: its identifier counts it as cleaning up.
    static func leaving(_ slot: FiberSlot) -> Self { Self(slot: slot, blocked: .leaving) }

    /// The slot of the node; each fiber has two, one for each way of being held up.
    var nodeSlot: NodeSlot { NodeSlot(number: slot.number * 2 + (blocked == .settling ? 0 : 1)) }
  }

  struct NodeSlot: Slot {
    let number: UInt32
  }

  /// A held-up fiber's entry under its identifier.
  struct Entry {
    let registration: RegistrationSlot
    let slot: FiberSlot
    let hasPlace: Bool
    let isCleaningUp: Bool
  }

  /// The held-up fibers under one identifier.
  struct Registered {
    let slot: RegistrationSlot
    /// The first fiber found, replaced by the first with a place if there is one.
    var witness: FiberSlot
    var witnessHasPlace = false
    var inFlight = 0
    var places = 0
    var cleanUps = 0
    /// True if a fiber that the search began with holds up the registration, and not only fibers that are removed
    /// again.
    var isFound = false
    var isLineFollowed = false
    /// True if the registration's line moves on, because enough places are not held up.
    var isMoving = false
  }

  private(set) var registered: [Registered] = []
  let races = RaceMemo()
  /// The nodes to follow next: `pending` is held up, `fallen` turned out not to be.
  var pending: [Node] = []
  var fallen: [Node] = []
  /// True if the search found more than the limit.
  private(set) var isCut = false
  private var starts: [Node] = []
  private var limit = Int.max
  private var nodes: [Node] = []
  private var isRetraced = false
  /// The number of nodes, registrations and lines that hold up each node.
  ///
  /// The top bits are flags; see ``found``.
  private let numbers: SlotNumbers<NodeSlot>
  /// For each fiber, the number of the fiber that holds it up, plus 1.
  private let causes: SlotNumbers<FiberSlot>
  /// For each registration, its index in the list, plus 1.
  private let indices: SlotNumbers<RegistrationSlot>
  /// The bit that marks a node as found again after the moving lines were removed.
  private static let found: UInt32 = 1 << 31
  /// The bit that marks a node that the search began with, which is never removed.
  private static let start: UInt32 = 1 << 30

  init(fiberCount: Int, registrationCount: Int) {
    numbers = SlotNumbers(count: fiberCount * 2)
    causes = SlotNumbers(count: fiberCount)
    indices = SlotNumbers(count: registrationCount)
  }

  /// The number of nodes found.
  var count: Int { nodes.count }

  subscript(registration: RegistrationSlot) -> Registered? {
    let index = indices[registration]
    guard index > 0, registered[Int(index) - 1].isFound else { return nil }
    return registered[Int(index) - 1]
  }

  func contains(_ slot: FiberSlot) -> Bool { isHeldUp(.settling(slot)) || isHeldUp(.leaving(slot)) }

  /// Returns whether at least this many things hold up the node.
  func isHeldUp(_ node: Node, by number: Int32) -> Bool {
    numbers[node.nodeSlot] & Self.start != 0 || numbers[node.nodeSlot] & ~Self.found >= UInt32(number)
  }

  private func isHeldUp(_ node: Node) -> Bool {
    isRetraced ? numbers[node.nodeSlot] & Self.found != 0 : numbers[node.nodeSlot] > 0
  }

  /// Returns the fiber that holds up another one.
  func cause(of slot: FiberSlot) -> FiberSlot? {
    let cause = causes[slot]
    return cause == 0 ? nil : FiberSlot(number: cause - 1)
  }

  // MARK: Finding

  /// Begins the next search and clears the results of the previous one, in time linear in those results.
  mutating func restart(from slots: [FiberSlot], limit: Int) {
    for node in nodes {
      causes[node.slot] = 0
      numbers[node.nodeSlot] = 0
    }
    for entry in registered { indices[entry.slot] = 0 }
    registered.removeAll(keepingCapacity: true)
    races.forgetFound()
    starts = slots.map { .settling($0) }
    for node in starts { numbers[node.nodeSlot] = Self.start }
    nodes = starts
    pending = starts
    self.limit = limit == .max ? .max : limit + starts.count
    (isCut, isRetraced) = (false, false)
  }

  /// Starts a second search for what is held up, without the lines that move.
  mutating func beginAgain() {
    for node in nodes { causes[node.slot] = 0 }
    for index in registered.indices {
      registered[index].isFound = false
      registered[index].witnessHasPlace = false
      registered[index].isLineFollowed = false
    }
    // The compiler can't instrument `|=` for the thread sanitizer here.
    for node in starts { numbers[node.nodeSlot] = numbers[node.nodeSlot] | Self.found }
    pending = starts
    isRetraced = true
  }

  mutating func reach(_ node: Node, after cause: FiberSlot) {
    let number = numbers[node.nodeSlot]
    if isRetraced {
      guard number > 0, number & Self.found == 0 else { return }
      numbers[node.nodeSlot] = number | Self.found
    } else {
      numbers[node.nodeSlot] = number + 1
      guard number == 0 else { return }
      guard nodes.count < limit else { return isCut = true }
      nodes.append(node)
    }
    let isStart = numbers[Node.settling(node.slot).nodeSlot] & Self.start != 0
    if cause != node.slot, causes[node.slot] == 0, !isStart {
      causes[node.slot] = cause.number + 1
    }
    pending.append(node)
  }

  /// - Returns: the index of the registration, and whether this is its first entry.
  mutating func note(_ entry: Entry) -> (index: Int, isFirst: Bool) {
    if indices[entry.registration] == 0 {
      registered.append(Registered(slot: entry.registration, witness: entry.slot))
      indices[entry.registration] = UInt32(registered.count)
    }
    let index = Int(indices[entry.registration]) - 1
    let isFirst = !registered[index].isFound
    registered[index].isFound = true
    if isFirst || entry.hasPlace && !registered[index].witnessHasPlace {
      (registered[index].witness, registered[index].witnessHasPlace) = (entry.slot, entry.hasPlace)
    }
    if !isRetraced { count(entry, 1) }
    return (index, isFirst)
  }

  private mutating func count(_ entry: Entry, _ number: Int) {
    let index = Int(indices[entry.registration]) - 1
    registered[index].inFlight += number
    if entry.hasPlace { registered[index].places += number }
    if entry.isCleaningUp { registered[index].cleanUps += number }
  }

  /// - Returns: true if the caller must follow the line, which happens once.
  mutating func followLine(at index: Int) -> Bool {
    if registered[index].isLineFollowed || registered[index].isMoving { return false }
    registered[index].isLineFollowed = true
    return true
  }

  // MARK: Taking out

  mutating func noteMoving(at index: Int) { registered[index].isMoving = true }

  /// Removes everything that holds up a node.
  ///
  /// - Returns: true if anything did.
  mutating func move(_ node: Node) -> Bool {
    guard numbers[node.nodeSlot] > 0 else { return false }
    numbers[node.nodeSlot] = 0
    fallen.append(node)
    return true
  }

  /// Removes one of the things that hold up a node, if any are left.
  mutating func lighten(_ node: Node) {
    guard numbers[node.nodeSlot] > 0 else { return }
    let number = numbers[node.nodeSlot] - 1
    numbers[node.nodeSlot] = number
    if number == 0 { fallen.append(node) }
  }

  /// - Returns: the index of the registration, and whether this was its last entry.
  mutating func leave(_ entry: Entry) -> (index: Int, isLast: Bool) {
    count(entry, -1)
    let index = Int(indices[entry.registration]) - 1
    return (index, registered[index].inFlight == 0)
  }
}
