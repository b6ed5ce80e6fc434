#if Services
  import AsyncStore
  import CoreMetrics

  /// The metrics by store.
  ///
  /// The table is not told when a store is gone, so it drops stores at rest from time to time. A store that goes on
  /// gets its handlers from the factory again.
  struct MetricsTable {
    /// The entries beyond which those at rest are dropped.
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
      byName = byName.filter { !$0.value.isAtRest }
      // Doubled, so that many stores that are not at rest are seldom looked through.
      roomUntil = max(Self.limit, count * 2)
    }
  }
#endif
