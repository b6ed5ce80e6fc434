/// The outcome of a received effect.
public enum EffectOutcome: Sendable {
  /// Everything has settled, even if a part was cancelled or dropped.
  case finished
  /// Everything has settled, but with this error, the first of possibly several that no `recover` handled.
  case failed(any Error)
  /// The effect was cancelled as a whole: by its handle, by its own identifier, by a newer call of a throttle that it
  /// waited in, or because the store was deactivated or is gone.
  ///
  /// An effect's own identifier is one with only other identifiers and labels around it. Inside a `timeout`, a
  /// `recover` or a `retry`, for example, an identifier names a part of the effect, and cancelling that part leaves the
  /// effect ``finished``.
  case cancelled
  /// The effect never began: the policy of its own identifier, or its throttle, dropped it.
  case dropped
  /// The effect never began: the store was not active.
  case inactive

  /// True only for ``finished``.
  public var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// True only for ``cancelled``.
  public var isCancelled: Bool {
    if case .cancelled = self { true } else { false }
  }
}
