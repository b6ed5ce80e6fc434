/// The outcome of a received effect.
public enum EffectOutcome: Sendable {
  /// All of it has settled, even if a part of it was cancelled or refused.
  case finished
  /// All of it has settled, and on the way there was this error, the first of possibly several that no `recover`
  /// handled.
  case failed(any Error)
  /// It was cancelled as a whole: by its handle, by its own identifier, by a newer call of a throttle that it waited
  /// in, or because the store was deactivated or is gone.
  ///
  /// Its own identifier is one with nothing but other identifiers and labels around it. Inside of a `timeout`, a
  /// `recover` or a `retry`, for example, it names a part of the effect, whose cancel leaves it ``finished``.
  case cancelled
  /// It never began: the policy of its own identifier refused it, or its throttle dropped it.
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
