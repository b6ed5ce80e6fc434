import AsyncStoreActions
import Observation

/// Rows by key, and a property beside them.
struct ListModel: Model {
  enum Action: Sendable { case row(Int, Row.Action), select(Int) }
  struct Row: Model {
    typealias Action = Int
    var count = 0

    static func update(_ state: inout Row, _ action: Int) -> Effect {
      state.count += action
      return .none
    }
  }

  var rows: [Int: Row]
  var selection = 0

  init(_ size: Int) { rows = Dictionary(uniqueKeysWithValues: (0..<size).map { ($0, Row()) }) }

  static func update(_ state: inout ListModel, _ action: Action) -> Effect {
    switch action {
    case .select(let key):
      state.selection = key
      return .none
    case .row(let key, let action):
      return update(Part(\.rows, key: key), of: &state, action, as: { .row(key, $0) })
    }
  }
}

/// A3: scopes of the elements of a collection, all of them tracked by Observation.
struct KeyedScopes: Workload {
  let name = "A3"
  let title =
    "a tracked reading of each keyed scope; a commit beside them; one of an element, for each; what is left of each"
  let counterpart = "a list of keys with the values read; a loop that compares them"
  let metrics = [
    Metric(name: "read"), Metric(name: "commit", bar: 3), Metric(name: "change"), Metric(name: "left", unit: "B"),
  ]
  let sizes = [100, 1_000, 10_000, 100_000]
  let barSize = 10_000

  func repetitions(at size: Int) -> Int { 1 }

  private func commits(at size: Int) -> Int { max(10, 100_000 / size) }

  func ours(_ size: Int) throws -> [Double] {
    // The last row is tracked by nobody.
    let store = StoreOf<ListModel>(state: ListModel(size + 1), env: ())
    let scopes = (0..<size).map { store.scope(\.rows, key: $0, actions: ListModel.Action.row) }
    let changes = Locked(0)
    let bytes = Process.allocatedBytes
    let reading = Stopwatch()
    let sum = withObservationTracking {
      scopes.reduce(0) { $0 + ($1.count ?? 0) }
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    let readTime = reading.nanoseconds(per: size)
    try require(sum, equals: 0)
    let commits = commits(at: size)
    let committing = Stopwatch()
    for key in 1...commits { store.send(.select(key)) }
    let commitTime = committing.nanoseconds(per: commits)
    let changing = Stopwatch()
    for _ in 1...commits { store.send(.row(size, 1)) }
    let changeTime = changing.nanoseconds(per: size * commits)
    try require(changes.withLock { $0 }, equals: 0)
    // A change reports each tracking once and ends it; the next commit releases what it held.
    store.send(.row(size / 2, 1))
    try require(changes.withLock { $0 }, equals: 1)
    store.send(.select(0))
    let left = withExtendedLifetime(scopes) { Process.allocatedBytes - bytes }
    return [readTime, commitTime, changeTime, Double(left) / Double(size)]
  }

  func baseline(_ size: Int) throws -> [Double] {
    struct Tracked: Sendable {
      var model: ListModel
      var reads: [(key: Int, count: Int?)] = []
      var changes = 0

      mutating func send(_ action: ListModel.Action) {
        _ = ListModel.update(&model, action)
        guard reads.contains(where: { model.rows[$0.key]?.count != $0.count }) else { return }
        changes += 1
        reads = []
      }
    }
    let state = Locked(Tracked(model: ListModel(size + 1)))
    let bytes = Process.allocatedBytes
    let reading = Stopwatch()
    for key in 0..<size {
      state.withLock { tracked in tracked.reads.append((key, tracked.model.rows[key]?.count)) }
    }
    let readTime = reading.nanoseconds(per: size)
    let commits = commits(at: size)
    let committing = Stopwatch()
    for key in 1...commits { state.withLock { $0.send(.select(key)) } }
    let commitTime = committing.nanoseconds(per: commits)
    let changing = Stopwatch()
    for _ in 1...commits { state.withLock { $0.send(.row(size, 1)) } }
    let changeTime = changing.nanoseconds(per: size * commits)
    state.withLock { $0.send(.row(size / 2, 1)) }
    try require(state.withLock { $0.changes }, equals: 1)
    return [readTime, commitTime, changeTime, Double(Process.allocatedBytes - bytes) / Double(size)]
  }
}
