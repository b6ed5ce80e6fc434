import AsyncStore

/// The state of nearly all workloads, on both sides.
struct Tally: Sendable {
  var count = 0
  /// Not touched by those that count.
  var last = 0
  /// Opens the gate when the count comes to it.
  var goal = Int.max
  var gate: Gate?

  /// Counts, and tells whoever waits for the last one.
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
