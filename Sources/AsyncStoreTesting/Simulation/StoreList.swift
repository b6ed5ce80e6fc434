import AsyncStore
import Synchronization

/// The stores of a simulation, which keeps them alive to see at the end what they have in flight.
final class StoreList: Sendable {
  private let stores = Mutex<[AnyAsyncStore]>([])

  var all: [AnyAsyncStore] { stores.withLock { $0 } }

  func append(_ store: AnyAsyncStore) {
    stores.withLock { stores in
      if !stores.contains(where: { $0 === store }) { stores.append(store) }
    }
  }

  /// The number of stores, from which a new store's seed is derived.
  var count: Int { stores.withLock { $0.count } }

  func removeAll() -> [AnyAsyncStore] {
    stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
  }

  /// The numbers of the stores created with the simulation's clock.
  var clockNumbers: Set<UInt64> {
    Set(
      all.compactMap { store in
        let clock = store.finiteClock
        return (clock as? TestClock ?? (clock as? HostClock)?.clock)?.store
      })
  }

  /// The effects in flight that wait for a moment, store by store.
  ///
  /// - Parameter now: the time of the simulation.
  func sleepers(at now: TestClock.Instant) -> [TestClock.Sleeper] {
    all.flatMap { store in
      let skew = (store.finiteClock as? HostClock)?.skew ?? .none
      return store.inFlight.compactMap { effect in
        effect.remaining.map { remaining in
          let reading = skew.reading(at: now.offset) + remaining
          return TestClock.Sleeper(deadline: TestClock.Instant(offset: skew.elapsed(at: reading)), effect: effect)
        }
      }
    }
  }

  /// The stores' deadlines in a range of moments: the first distinct ones of each store.
  ///
  /// - Complexity: linear in the number of stores and their deadlines.
  func deadlines(
    in moments: ClosedRange<TestClock.Instant>, first maximumCount: Int, at now: TestClock.Instant
  ) -> [TestClock.Instant] {
    all.flatMap { store in
      let skew = (store.finiteClock as? HostClock)?.skew ?? .none
      let reading = skew.reading(at: now.offset)
      let lowest = skew.reading(at: moments.lowerBound.offset) - reading
      let highest = skew.reading(at: moments.upperBound.offset) - reading
      return store.timesToDeadlines(first: maximumCount, in: lowest...highest)
        .map { TestClock.Instant(offset: skew.elapsed(at: reading + $0)) }
    }
  }

  /// The effects in flight, store by store; empty if there are none.
  var report: String {
    all.filter { !$0.inFlight.isEmpty }.map { store in
      let name = store.identity.name.map { " \($0.debugDescription)" } ?? ""
      return "\(store.typeName)\(name):\n\(store.inFlight)"
    }.joined(separator: "\n")
  }

  /// The identifiers of the bindings that stores have reported as not settling, each report once.
  var unsettledBindings: [String] { Set(all.map(\.unsettledBindings)).subtracting([""]).sorted() }

  /// The effects in flight, each once, described independently of the time.
  var effects: [String] {
    Set(all.flatMap { store in store.inFlight.map { "\(store.typeName): \($0.words)" } }).sorted()
  }
}

extension InFlightEffect {
  fileprivate var words: String {
    "\(kind) \(identifier.map { "\($0)" } ?? "") \(label ?? "") \(location.map { "\($0)" } ?? "")"
  }
}

extension AnyAsyncStore {
  /// The name of the store's type, for people.
  fileprivate var typeName: String { "\(Self.self)" }
}
