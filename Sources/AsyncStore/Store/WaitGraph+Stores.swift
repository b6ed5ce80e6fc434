extension WaitGraph {
  /// Lists what the effects in flight in these stores wait for, there and in the other stores.
  ///
  /// An effect that has lifted another one into one of the stores waits for that one. So cycles through several stores
  /// are found; no store looks for them by itself.
  ///
  /// ```swift
  /// let journal = CounterStore(state: Counter(), env: service, name: "journal")
  /// store.receive(.lift(.sleep(.seconds(60)), to: journal))
  /// let graph = WaitGraph([store, journal])
  /// // graph.edges.map(\.to) == [.effect(journal.inFlight[0].id, in: journal.identity)]
  /// ```
  ///
  /// The stores are listed one after the other. The graph has every wait that lasts, as those in a cycle do; of
  /// effects that go on meanwhile, some may be missing.
  ///
  /// - Complexity: linear in the effects in flight, under each store's lock.
  public init(_ stores: [AnyAsyncStore]) {
    var trees: [TreeContext] = []
    let listings = stores.map { $0.runtime.waitListing(keeping: &trees) }
    self = withExtendedLifetime(trees) { WaitGraph(listings) }
  }
}
