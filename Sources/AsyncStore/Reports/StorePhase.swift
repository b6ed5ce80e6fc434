/// A phase of a store, from accepting effects to accepting none.
public enum StorePhase: Hashable, Sendable, CaseIterable {
  /// The store accepts effects.
  case active
  /// The store is being shut down: it accepts only cancels, and effects in flight continue.
  case draining
  /// The store is being shut down: effects that had not ended in time have been cancelled, and are cleaning up.
  case cleaningUp
  /// The store accepts nothing, and nothing in it commits.
  case inactive
}
