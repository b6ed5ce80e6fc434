/// Who sleeps, in the order of waking; those that wake at once in the order in which they fell asleep.
struct SleeperList: Sendable {
  struct Sleeper: Sendable {
    let id: UInt64
    let deadline: TestClock.Instant
    /// When it wakes: at its deadline, or a bit later.
    var wake: TestClock.Instant
    /// Whether it is a store's alarm, and no task of a user's.
    let isAlarm: Bool
    let continuation: UnsafeContinuation<Void, any Error>
  }

  private var sleepers: [Sleeper] = []
  private var first = 0
  private var lastID: UInt64 = 0

  var all: [Sleeper] { Array(sleepers[first...]) }
  var earliestWake: TestClock.Instant? { first < sleepers.count ? sleepers[first].wake : nil }
  var earliestDeadline: TestClock.Instant? { sleepers[first...].lazy.map(\.deadline).min() }

  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func insert(_ sleeper: Sleeper) {
    var low = first
    var high = sleepers.count
    while low < high {
      let middle = (low + high) / 2
      if sleepers[middle].wake <= sleeper.wake { low = middle + 1 } else { high = middle }
    }
    if low == sleepers.count { sleepers.append(sleeper) } else { sleepers.insert(sleeper, at: low) }
  }

  mutating func removeFirst(wakingBy moment: TestClock.Instant) -> UnsafeContinuation<Void, any Error>? {
    guard first < sleepers.count, sleepers[first].wake <= moment else { return nil }
    let continuation = sleepers[first].continuation
    first += 1
    closeGap()
    return continuation
  }

  /// The gap is closed when it is most of the array, so that this costs next to nothing for each sleeper.
  private mutating func closeGap() {
    if first == sleepers.count {
      // Mostly it is one, and to remove that takes a few instructions.
      if sleepers.count == 1 { sleepers.removeLast() } else { sleepers.removeAll(keepingCapacity: true) }
      first = 0
    } else if first >= 64, first * 2 > sleepers.count {
      sleepers.removeFirst(first)
      first = 0
    }
  }

  mutating func remove(_ id: UInt64) -> UnsafeContinuation<Void, any Error>? {
    guard let index = sleepers[first...].firstIndex(where: { $0.id == id }) else { return nil }
    return sleepers.remove(at: index).continuation
  }

  mutating func removeAll() -> [UnsafeContinuation<Void, any Error>] {
    defer {
      sleepers = []
      first = 0
    }
    return sleepers[first...].map(\.continuation)
  }

  /// Has those whose deadline has passed wake now, in the order in which they would have.
  ///
  /// - Returns: whether there are any.
  mutating func hurry(dueBy moment: TestClock.Instant) -> Bool {
    let late = sleepers[first...].filter { $0.deadline <= moment }
    guard !late.isEmpty else { return false }
    sleepers =
      late.map { sleeper in
        var sleeper = sleeper
        sleeper.wake = min(sleeper.wake, moment)
        return sleeper
      } + sleepers[first...].filter { $0.deadline > moment }
    first = 0
    return true
  }
}
