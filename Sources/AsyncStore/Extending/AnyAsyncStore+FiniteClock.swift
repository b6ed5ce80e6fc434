extension AnyAsyncStore {
  /// The clock that the store was given, if that is a simulation's.
  package var finiteClock: (any FiniteClock)? { runtime.time.finiteClock }
}
