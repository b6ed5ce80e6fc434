extension WaitGraph {
  /// Lists what the effects in flight in these stores wait for, there and in the other stores.
  ///
  /// An effect that has lifted another effect into one of the stores waits for that effect. So the graph finds cycles
  /// through several stores, which no store looks for by itself.
  ///
  /// ```swift
  /// let journal = CounterStore(state: Counter(), env: service, name: "journal")
  /// store.receive(.lift(.sleep(.seconds(60)), to: journal))
  /// let graph = WaitGraph([store, journal])
  /// // graph.edges.map(\.to) == [.effect(journal.inFlight[0].id, in: journal.identity)]
  /// ```
  ///
  /// The stores are listed one after the other. The graph contains every wait that lasts, as the waits in a cycle do;
  /// waits of effects that continue meanwhile may be missing.
  ///
  /// - Complexity: linear in the number of effects in flight, under each store's lock.
  public init(_ stores: [AnyAsyncStore]) {
    var trees: [TreeContext] = []
    let listings = stores.map { $0.runtime.waitListing(keeping: &trees) }
    self = withExtendedLifetime(trees) { WaitGraph(listings) }
  }
}
