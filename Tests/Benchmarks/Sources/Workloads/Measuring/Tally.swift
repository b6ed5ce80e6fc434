import AsyncStore

/// The state of nearly all workloads, on both sides.
struct Tally: Sendable {
  var count = 0
  /// A number that the counting workloads do not touch.
  var last = 0
  /// The count at which the gate opens.
  var goal = Int.max
  var gate: Gate?

  /// Counts, and opens the gate at the goal.
  mutating func add() {
    count += 1
    if count == goal { gate?.open() }
  }
}

typealias TallyStore = AsyncStore<Tally, Void>

extension TallyStore {
  convenience init(goal: Int = .max, gate: Gate? = nil) {
    self.init(state: Tally(goal: goal, gate: gate), env: ())
  }
}
