import AsyncStore
import Synchronization

/// P9: stores bound to a property that changes.
struct Bindings: Workload {
  let name = "P9a"
  let title = "a change and its delivery to each bound store"
  let counterpart = "a list of closures, each with an equality check"
  let metrics = [Metric()]
  let sizes = BoundStores.sizes
  let barSize = 1_000

  /// The number of changes in place of the one that goes with the size.
  var changes: Int?

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) throws -> [Double] {
    let (source, bound) = BoundStores.bound(size)
    let changes = changes ?? BoundStores.changes(at: size)
    let watch = Stopwatch()
    // By its key path, as a value is assigned: a closure that captures the number takes memory, and the counterpart's
    // does not.
    for number in 1...changes { source.receive(.set(\.count, to: number)) }
    let time = watch.nanoseconds(per: size * changes)
    for store in bound { try require(store.state.count, equals: changes) }
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let (source, bound) = BoundStores.handWritten(size)
    let changes = changes ?? BoundStores.changes(at: size)
    let watch = Stopwatch()
    for number in 1...changes { source.change { $0.count = number } }
    let time = watch.nanoseconds(per: size * changes)
    for state in bound { try require(state.withLock { $0.count }, equals: changes) }
    return [time]
  }
}

/// P9: stores bound to a property other than the one that changes.
struct UntouchedBindings: Workload {
  let name = "P9b"
  let title = "a change that touches no bound property, for each"
  let counterpart = "a list of closures, each with an equality check"
  let metrics = [Metric(bar: 3)]
  let sizes = BoundStores.sizes
  let barSize = 1_000

  /// The number of changes in place of the one that goes with the size.
  var changes: Int?

  func repetitions(at size: Int) -> Int { 1 }

  func ours(_ size: Int) throws -> [Double] {
    let (source, bound) = BoundStores.bound(size)
    let changes = changes ?? BoundStores.changes(at: size)
    let watch = Stopwatch()
    for number in 1...changes { source.receive(.set(\.last, to: number)) }
    let time = watch.nanoseconds(per: size * changes)
    try require(source.state.last, equals: changes)
    for store in bound { try require(store.state.count, equals: 0) }
    return [time]
  }

  func baseline(_ size: Int) throws -> [Double] {
    let (source, bound) = BoundStores.handWritten(size)
    let changes = changes ?? BoundStores.changes(at: size)
    let watch = Stopwatch()
    for number in 1...changes { source.change { $0.last = number } }
    let time = watch.nanoseconds(per: size * changes)
    try require(source.state.withLock { $0.last }, equals: changes)
    for state in bound { try require(state.withLock { $0.count }, equals: 0) }
    return [time]
  }
}

/// P9: the number of comparisons of the values of untouched properties.
struct ComparisonsOfBindings: Workload {
  let name = "P9c"
  let title = "comparisons for each binding that a change does not touch"
  let counterpart = "one"
  let metrics = [Metric(unit: "times", bar: 1)]
  let sizes = BoundStores.sizes
  let barSize = 1_000

  func repetitions(at size: Int) -> Int { 1 }

  private struct Counted: Equatable, Sendable {
    static let comparisons = Atomic(0)
    let value = 0

    static func == (first: Counted, second: Counted) -> Bool {
      comparisons.add(1, ordering: .relaxed)
      return first.value == second.value
    }
  }

  private struct State: Sendable {
    var watched = Counted()
    var other = 0
  }

  func ours(_ size: Int) throws -> [Double] {
    let source = AsyncStore(state: State(), env: ())
    let bound = (0..<size).map { _ in TallyStore() }
    for store in bound { store.bind(id: "watched", to: source, on: \.watched) { _ in .none } }
    Counted.comparisons.store(0, ordering: .relaxed)
    let changes = BoundStores.changes(at: size)
    withExtendedLifetime(bound) {
      for number in 1...changes { source.receive(.set { $0.other = number }) }
    }
    try require(source.state.other, equals: changes)
    return [Double(Counted.comparisons.load(ordering: .relaxed)) / Double(size * changes)]
  }

  func baseline(_ size: Int) -> [Double] { [1] }
}

/// A source and what is bound to its count.
private enum BoundStores {
  static let sizes = [1, 10, 100, 1_000, 10_000]

  /// Returns the number of changes, which is lower if each change has many observers.
  static func changes(at size: Int) -> Int { size > 1_000 ? 100 : 1_000 }

  static func bound(_ count: Int) -> (source: TallyStore, bound: [TallyStore]) {
    let source = TallyStore()
    let bound = (0..<count).map { _ in TallyStore() }
    for store in bound {
      store.bind(id: "count", to: source, on: \.count) { count in .set(\.count, to: count) }
    }
    return (source, bound)
  }

  static func handWritten(_ count: Int) -> (source: Source, bound: [Locked<Tally>]) {
    let bound = (0..<count).map { _ in Locked(Tally()) }
    let observers = bound.map { state in
      var last: Int?
      return { (tally: Tally) in
        guard tally.count != last else { return }
        last = tally.count
        state.withLock { $0.count = tally.count }
      }
    }
    return (Source(observers), bound)
  }

  /// Observers are called by the one thread that changes the state.
  final class Source {
    let state = Locked(Tally())
    private let observers: [(Tally) -> Void]

    init(_ observers: [(Tally) -> Void]) { self.observers = observers }

    func change(_ body: (inout Tally) -> Void) {
      let tally = state.withLock { tally in
        body(&tally)
        return tally
      }
      for observer in observers { observer(tally) }
    }
  }
}
