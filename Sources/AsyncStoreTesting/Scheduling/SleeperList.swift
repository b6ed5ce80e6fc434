/// The sleepers in the order of waking; those that wake at the same time in the order in which they fell asleep.
struct SleeperList: Sendable {
  struct Sleeper: Sendable {
    let id: UInt64
    let deadline: TestClock.Instant
    /// The time of its waking: its deadline, or a bit later.
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
    /// The alarm of a store that was made with the simulation's clock, by the store's number.
    case store(UInt64)
    /// The simulation's own: the alarm of a store that it has made, or a message on its way.
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

  private var sleepers = GapQueue<Sleeper>()
  /// The moment at which each sleeper wakes, by which it is found.
  private var wakes: [UInt64: TestClock.Instant] = [:]
  private var lastID: UInt64 = 0

  var all: ArraySlice<Sleeper> { sleepers.all }
  var earliestWake: TestClock.Instant? { sleepers.first?.wake }
  var earliestDeadline: TestClock.Instant? { all.lazy.map(\.deadline).min() }

  /// Returns the first different deadlines in a range; of sleepers that wake at the same moment one counts.
  ///
  /// - Complexity: logarithmic in the number of sleepers for each moment at which one wakes.
  func deadlines(in range: ClosedRange<TestClock.Instant>, first maximumCount: Int) -> [TestClock.Instant] {
    var deadlines: [TestClock.Instant] = []
    var place = all.countOfFirst { $0.wake < range.lowerBound }
    while deadlines.count < maximumCount, place < sleepers.count, sleepers[place].wake <= range.upperBound {
      let sleeper = sleepers[place]
      if range.contains(sleeper.deadline), !deadlines.contains(sleeper.deadline) { deadlines.append(sleeper.deadline) }
      place = all.countOfFirst { $0.wake <= sleeper.wake }
    }
    return deadlines
  }

  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func insert(_ sleeper: Sleeper) {
    wakes[sleeper.id] = sleeper.wake
    sleepers.insert(sleeper, at: all.countOfFirst { $0.wake <= sleeper.wake })
  }

  mutating func removeFirst(wakingBy moment: TestClock.Instant) -> Waker? {
    guard let first = sleepers.first, first.wake <= moment else { return nil }
    wakes[first.id] = nil
    return sleepers.remove(at: 0).waker
  }

  mutating func remove(_ id: UInt64) -> Sleeper? {
    guard let wake = wakes.removeValue(forKey: id) else { return nil }
    // Mostly those that wake at the same time have fallen asleep one after the other, and have numbers that rise.
    var place = all.countOfFirst { ($0.wake, $0.id) < (wake, id) }
    if place == sleepers.count || sleepers[place].id != id {
      place = (all.countOfFirst { $0.wake < wake }..<sleepers.count).first { sleepers[$0].id == id } ?? place
    }
    return sleepers.remove(at: place)
  }

  mutating func removeAll() -> [Sleeper] {
    defer { (sleepers, wakes) = (GapQueue(), [:]) }
    return Array(all)
  }

  /// Makes the sleepers whose deadline has passed wake now, in the order in which they would have.
  ///
  /// - Returns: true if there are any.
  mutating func hurry(dueBy moment: TestClock.Instant) -> Bool {
    let late = all.filter { $0.deadline <= moment }
    guard !late.isEmpty else { return false }
    let others = all.filter { $0.deadline > moment }
    sleepers = GapQueue()
    for var sleeper in late {
      sleeper.wake = min(sleeper.wake, moment)
      wakes[sleeper.id] = sleeper.wake
      sleepers.append(sleeper)
    }
    for sleeper in others { sleepers.append(sleeper) }
    return true
  }
}
