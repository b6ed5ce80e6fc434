extension AsyncStore {
  /// A closure that a task calls.
  enum Operation: Sendable {
    case plain(@Sendable () async throws -> Effect)
    case onEnvironment(@Sendable (Env) async throws -> Effect)
    /// An operation that is retried, held by a ``ClosureNode``.
    case onAttempt(@Sendable (Env, EffectAttempt) async throws -> Effect)
    /// No operation: a fiber has no further one, or the node that held it is being freed.
    case none
  }
}
