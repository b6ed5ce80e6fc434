/// A store's way from taking effects to taking none.
public enum StorePhase: Hashable, Sendable, CaseIterable {
  /// It receives effects.
  case active
  /// It is being shut down: it receives nothing but cancels, and what is in flight goes on.
  case draining
  /// It is being shut down: what had not ended in time has been cancelled, and cleans up.
  case cleaningUp
  /// It receives nothing, and nothing of it commits.
  case inactive
}
