/// The fibers that a waiting fiber waits for.
struct AwaitedSet: ~Copyable {
  enum Finding {
    case nothing
    /// The set contains the fiber that the search looks for, or may contain it.
    case fiber
    /// The set is larger than the limit.
    case unknown
  }

  var pending: [FiberSlot] = []
  /// The registrations whose holders and waiting lines the search has followed.
  var registrations: Set<RegistrationSlot> = []
  private(set) var count = 0
  private let limit: Int
  /// The fibers found so far; a short search does not keep them.
  private let isFound: SlotNumbers<FiberSlot>

  /// - Parameter fiberCount: the size of the table of fibers, or 0 for a short search.
  init(limit: Int, fiberCount: Int) {
    self.limit = limit
    isFound = SlotNumbers(count: fiberCount)
  }

  /// Adds a list of fibers.
  ///
  /// - Returns: false if there are more than the limit in all.
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
