extension AsyncStore {
  /// A closure that a task calls.
  enum Operation: Sendable {
    case plain(@Sendable () async throws -> Effect)
    case onEnvironment(@Sendable (Env) async throws -> Effect)
    /// One that is retried, which a ``ClosureNode`` holds.
    case onAttempt(@Sendable (Env, EffectAttempt) async throws -> Effect)
    /// No operation: a fiber has no further one, or the node that held it is being freed.
    case none
  }
}
