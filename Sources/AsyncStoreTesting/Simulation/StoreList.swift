import AsyncStore
import Synchronization

/// The stores that a simulation knows: it keeps them alive, to see at the end what they have in flight.
final class StoreList: Sendable {
  private let stores = Mutex<[AnyAsyncStore]>([])

  var all: [AnyAsyncStore] { stores.withLock { $0 } }

  func append(_ store: AnyAsyncStore) {
    stores.withLock { stores in
      if !stores.contains(where: { $0 === store }) { stores.append(store) }
    }
  }

  /// Where a new store's seed starts.
  var count: Int { stores.withLock { $0.count } }

  func removeAll() -> [AnyAsyncStore] {
    stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
  }

  /// What is in flight, store by store; empty if nothing is.
  var report: String {
    all.filter { !$0.inFlight.isEmpty }.map { "\($0.name):\n\($0.inFlight)" }.joined(separator: "\n")
  }

  /// What is in flight, each once, without what depends on the moment.
  var effects: [String] {
    Set(all.flatMap { store in store.inFlight.map { "\(store.name): \($0.words)" } }).sorted()
  }
}

extension InFlightEffect {
  fileprivate var words: String {
    "\(kind) \(identifier.map { "\($0)" } ?? "") \(label ?? "") \(location.map { "\($0)" } ?? "")"
  }
}

extension AnyAsyncStore {
  /// The type of its state, for people.
  fileprivate var name: String { "\(Self.self)" }
}
