/// The outcome of a received effect.
public enum EffectOutcome: Sendable {
  /// All of it has settled.
  case finished
  /// All of it has settled, and on the way there was this error, the first of possibly several that no `recover`
  /// handled.
  case failed(any Error)
  /// It was cancelled as a whole: by its handle, by its own identifier, or because the store was deactivated or is
  /// gone.
  case cancelled
  /// It never began: the policy of its identifier refused it.
  case dropped
  /// It never began: the store was not active.
  case inactive

  /// True for ``finished`` only.
  public var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// True for ``cancelled`` only.
  public var isCancelled: Bool {
    if case .cancelled = self { true } else { false }
  }
}
