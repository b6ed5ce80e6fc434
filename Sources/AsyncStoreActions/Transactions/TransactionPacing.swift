/// How often transactions under one identifier run.
public struct TransactionPacing: Hashable, Sendable {
  private enum Kind: Hashable { case replacing, queued, debounced(Duration), throttled(Duration, ThrottleEdges) }

  private let kind: Kind

  /// Each at once; one that is under way is cancelled.
  public static let replacing = TransactionPacing(kind: .replacing)

  /// One after the other.
  public static let queued = TransactionPacing(kind: .queued)

  /// The last one, once there has been no other for a while; those before it are cancelled.
  public static func debounced(for duration: Duration) -> TransactionPacing {
    TransactionPacing(kind: .debounced(duration))
  }

  /// At most one in each window of time; those left out are cancelled.
  public static func throttled(
    for duration: Duration, edges: ThrottleEdges = [.leading, .trailing]
  ) -> TransactionPacing {
    TransactionPacing(kind: .throttled(duration, edges))
  }

  func apply<State, Env>(_ effect: AsyncStore<State, Env>.Effect, _ id: EffectID) -> AsyncStore<State, Env>.Effect {
    switch kind {
    case .replacing: effect.id(id)
    case .queued: effect.id(id, .queue())
    case .debounced(let duration): effect.debounced(for: duration, id: id)
    case .throttled(let duration, let edges): effect.throttled(for: duration, id: id, edges: edges)
    }
  }
}
