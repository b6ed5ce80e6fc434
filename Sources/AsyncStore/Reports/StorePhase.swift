/// A phase of a store, from taking effects to taking none.
public enum StorePhase: Hashable, Sendable, CaseIterable {
  /// The store receives effects.
  case active
  /// The store is being shut down: it receives nothing but cancels, and what is in flight goes on.
  case draining
  /// The store is being shut down: effects that had not ended in time have been cancelled, and clean up.
  case cleaningUp
  /// The store receives nothing, and nothing of it commits.
  case inactive
}
