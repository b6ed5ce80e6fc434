extension AnyAsyncStore {
  /// The effects currently in flight, including cancelled operations that have not returned.
  ///
  /// - Complexity: linear in the number of effects in flight, under the store's lock.
  public var inFlight: InFlight {
    runtime.inFlight
  }

  /// The number of effects that ``inFlight`` would list, without listing them.
  ///
  /// For health checks and metrics that read it often. An instrument receives events after the store's lock has been
  /// released, so it may receive an effect's end when this is already 0.
  ///
  /// - Complexity: constant for a store with nothing in flight, otherwise linear in the number of effects in flight,
  ///   under the store's lock; nothing is allocated.
  public var inFlightCount: Int {
    runtime.lock { $0.machine.countOfEffectsInFlight }
  }
}
