/// The fibers that wait until nothing is in flight under an identifier, in the order in which they joined.
///
/// A cancelled joiner stays in the list, because finding it takes time, until half of the entries are such ones.
struct JoinerList {
  private(set) var ids: [FiberID] = []
  /// The number of joiners that have been cancelled since they joined.
  private var cancelledCount = 0

  var isEmpty: Bool { ids.isEmpty }

  mutating func append(_ id: FiberID) { ids.append(id) }

  /// Empties the list, and returns its joiners.
  mutating func removeAll() -> [FiberID] {
    cancelledCount = 0
    // Most lists are empty.
    if ids.isEmpty { return [] }
    defer { ids = [] }
    return ids
  }

  /// Removes joiners, and returns those of them that were in the list, in its order.
  mutating func remove(_ joiners: [FiberID]) -> [FiberID] {
    let ending = Set(joiners).intersection(ids)
    guard !ending.isEmpty else { return [] }
    defer { ids.removeAll(where: ending.contains) }
    return ids.filter(ending.contains)
  }

  /// Records that one of the joiners has been cancelled.
  ///
  /// - Returns: true if the caller has to remove the cancelled joiners now, by ``keep(_:)``.
  mutating func noteCancelled() -> Bool {
    cancelledCount += 1
    return cancelledCount * 2 >= ids.count
  }

  /// Replaces the list by the joiners in it that are not cancelled.
  mutating func keep(_ joiners: [FiberID]) {
    ids = joiners
    cancelledCount = 0
  }
}
