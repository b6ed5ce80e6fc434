extension AnyAsyncStore {
  /// The effects in flight now, cancelled operations that have not returned included.
  ///
  /// - Complexity: linear in the effects in flight, under the store's lock.
  public var inFlight: InFlight {
    runtime.inFlight
  }

  /// The number of effects that ``inFlight`` would list, without listing them.
  ///
  /// For health checks and metrics that ask often. An instrument is told of events after the store's lock has been
  /// released, and so perhaps of an effect's end when this is 0 already.
  ///
  /// - Complexity: constant for a store with nothing in flight, else linear in the effects in flight, under the store's
  ///   lock; nothing is allocated.
  public var inFlightCount: Int {
    runtime.lock { $0.machine.countOfEffectsInFlight }
  }
}
