/// The sleepers in order of waking; those that wake at the same time are in the order in which they fell asleep.
struct SleeperList: Sendable {
  struct Sleeper: Sendable {
    let id: UInt64
    let deadline: TestClock.Instant
    /// The time of waking: the deadline, or a bit later.
    var wake: TestClock.Instant
    let kind: Kind
    let waker: Waker

    func cancel() {
      if case .task(let continuation, _) = waker { continuation.resume(throwing: CancellationError()) }
    }
  }

  /// The kinds of sleepers.
  enum Kind: Sendable, Equatable {
    /// A task of a user.
    case task
    /// The alarm of a store created with the simulation's clock, by the store's number.
    case store(UInt64)
    /// The simulation's own: the alarm of a store that it created, or a message on its way.
    case own
  }

  /// The action when the time has come.
  enum Waker: Sendable {
    case task(UnsafeContinuation<Void, any Error>, wasCancelled: Bool)
    case action(@Sendable () -> Void)

    func wake() {
      switch self {
      case .task(let continuation, wasCancelled: false): continuation.resume()
      case .task(let continuation, wasCancelled: true): continuation.resume(throwing: CancellationError())
      case .action(let action): action()
      }
    }
  }

  private var sleepers = SparseQueue<Sleeper>()
  /// The moment at which each sleeper wakes, for finding the sleeper.
  private var wakes: [UInt64: TestClock.Instant] = [:]
  private var lastID: UInt64 = 0

  var all: some BidirectionalCollection<Sleeper> { sleepers.elements }
  var earliestWake: TestClock.Instant? { sleepers.first?.wake }
  var earliestDeadline: TestClock.Instant? { all.lazy.map(\.deadline).min() }

  /// Returns the first distinct deadlines in a range; of the sleepers that wake at the same moment, only one counts.
  ///
  /// - Complexity: logarithmic in the number of sleepers, for each moment at which one wakes.
  func deadlines(in range: ClosedRange<TestClock.Instant>, first maximumCount: Int) -> [TestClock.Instant] {
    var deadlines: [TestClock.Instant] = []
    let slots = sleepers.slots
    var place = slots.startIndex + slots.countOfFirst { $0.element.wake < range.lowerBound }
    while deadlines.count < maximumCount, place < slots.endIndex, slots[place].element.wake <= range.upperBound {
      let sleeper = slots[place].element
      if slots[place].isRemoved {
        place += 1
        continue
      }
      if range.contains(sleeper.deadline), !deadlines.contains(sleeper.deadline) { deadlines.append(sleeper.deadline) }
      place = slots.startIndex + slots.countOfFirst { $0.element.wake <= sleeper.wake }
    }
    return deadlines
  }

  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func insert(_ sleeper: Sleeper) {
    wakes[sleeper.id] = sleeper.wake
    sleepers.insert(sleeper, at: sleepers.slots.countOfFirst { $0.element.wake <= sleeper.wake })
  }

  mutating func removeFirst(wakingBy moment: TestClock.Instant) -> Waker? {
    guard let first = sleepers.first, first.wake <= moment else { return nil }
    wakes[first.id] = nil
    return sleepers.removeFirst().waker
  }

  mutating func remove(_ id: UInt64) -> Sleeper? {
    guard let wake = wakes.removeValue(forKey: id) else { return nil }
    // Usually, sleepers that wake at the same time have fallen asleep one after the other, and have increasing numbers.
    var place = sleepers.slots.countOfFirst { ($0.element.wake, $0.element.id) < (wake, id) }
    if place == sleepers.slots.count || sleepers[place].id != id {
      let first = sleepers.slots.countOfFirst { $0.element.wake < wake }
      place = (first..<sleepers.slots.count).first { sleepers[$0].id == id } ?? place
    }
    return sleepers.remove(at: place)
  }

  mutating func removeAll() -> [Sleeper] {
    defer { (sleepers, wakes) = (SparseQueue(), [:]) }
    return Array(all)
  }

  /// Makes the sleepers whose deadline has passed wake now, in the order in which they would have woken.
  ///
  /// - Returns: true if there are any.
  mutating func hurry(dueBy moment: TestClock.Instant) -> Bool {
    let late = all.filter { $0.deadline <= moment }
    guard !late.isEmpty else { return false }
    let others = all.filter { $0.deadline > moment }
    sleepers = SparseQueue()
    for var sleeper in late {
      sleeper.wake = min(sleeper.wake, moment)
      wakes[sleeper.id] = sleeper.wake
      sleepers.append(sleeper)
    }
    for sleeper in others { sleepers.append(sleeper) }
    return true
  }
}
