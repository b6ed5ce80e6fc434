#if Services
  import AsyncStore
  import CoreMetrics

  /// The metrics by store.
  ///
  /// Nothing reports when a store is gone. So the table occasionally forgets stores at rest, and makes the backend
  /// forget their series; a store that continues gets its handlers from the factory again, and counts from zero. Stores
  /// without a name are forgotten first, because their numbers are never reused.
  struct MetricsTable {
    /// The number of entries beyond which entries at rest are dropped.
    static let limit = 256

    private let factory: any MetricsFactory
    private var last: (store: UInt64, metrics: StoreMetrics)?
    private var byNumber: [UInt64: StoreMetrics] = [:]
    private var byName: [String: StoreMetrics] = [:]
    private var roomUntil = limit

    init(factory: any MetricsFactory) { self.factory = factory }

    var count: Int { max(byNumber.count, byName.count) }

    mutating func metrics(of store: StoreIdentity) -> StoreMetrics {
      if let last, last.store == store.number { return last.metrics }
      let metrics = byNumber[store.number] ?? add(store)
      last = (store.number, metrics)
      return metrics
    }

    private mutating func add(_ store: StoreIdentity) -> StoreMetrics {
      if count >= roomUntil { makeRoom() }
      let metrics = byName[store.description] ?? StoreMetrics(store, factory: factory)
      byNumber[store.number] = metrics
      byName[store.description] = metrics
      return metrics
    }

    private mutating func makeRoom() {
      byNumber = [:]
      forget { !$0.hasName }
      if byName.count > Self.limit / 2 { forget { _ in true } }
      // This keeps searches through many stores that are not at rest rare.
      roomUntil = max(Self.limit, count * 2)
    }

    /// Forgets stores that are at rest.
    private mutating func forget(where isForgotten: (StoreMetrics) -> Bool) {
      byName = byName.filter { _, metrics in
        guard metrics.isAtRest, isForgotten(metrics) else { return true }
        metrics.destroy()
        return false
      }
    }
  }
#endif
