import AsyncStore

/// The order and the rate at which transactions under one identifier run.
///
/// Time is that of the store's clock. A transaction that is left out, or replaced before its commit, ends as
/// `cancelled`.
public struct TransactionPacing: Hashable, Sendable {
  private enum Kind: Hashable { case replace, queue, debounce(Duration), throttle(Duration, ThrottleEdges) }

  private let kind: Kind

  /// Begins each transaction at once, and cancels one that is running.
  ///
  /// If that one has been committed, the effects of the actions that it has sent are cancelled.
  public static let replace = TransactionPacing(kind: .replace)

  /// Runs transactions one after the other.
  ///
  /// First in, first out, and any number may wait. The next transaction begins when the effects of the actions that the
  /// previous one has sent have settled too.
  public static let queue = TransactionPacing(kind: .queue)

  /// Runs the last transaction, once there has been no other for a while, and cancels the earlier ones.
  ///
  /// A running transaction is cancelled as well, as soon as the next one arrives.
  ///
  /// - Parameter duration: the time without another transaction; zero or less waits for nothing.
  public static func debounce(for duration: Duration) -> TransactionPacing {
    TransactionPacing(kind: .debounce(duration))
  }

  /// Runs at most one transaction in each window of time, and cancels those left out.
  ///
  /// A running transaction continues beside the next one.
  ///
  /// - Parameters:
  ///   - duration: the window's length, beginning with the first transaction; zero or less leaves none out.
  ///   - edges: the transactions of a window that begin: the first at once, the last at its end, or both; by default
  ///     both. An empty set traps when the transaction is begun.
  public static func throttle(
    for duration: Duration, edges: ThrottleEdges = [.leading, .trailing]
  ) -> TransactionPacing {
    TransactionPacing(kind: .throttle(duration, edges))
  }

  func apply<State, Env>(
    _ effect: AsyncStore<State, Env>.Effect, _ id: EffectID, _ file: StaticString, _ line: UInt
  ) -> AsyncStore<State, Env>.Effect {
    switch kind {
    case .replace: effect.id(id, file: file, line: line)
    case .queue: effect.id(id, .queue(), file: file, line: line)
    case .debounce(let duration): effect.debounce(for: duration, id: id, file: file, line: line)
    case .throttle(let duration, let edges):
      effect.throttle(for: duration, id: id, edges: edges, file: file, line: line)
    }
  }
}
