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

/// One received effect: wait for it, cancel it, ask whether it is over.
///
/// A handle may be dropped: the effect goes on. It keeps neither the store nor the effect alive.
///
/// ```swift
/// let handle = store.receive(.task { .set(\.user, to: try await service.user()) })
/// let outcome = await handle.outcome
/// // outcome.isFinished == true
/// ```
public struct EffectHandle: Sendable {
  enum Storage: Sendable {
    /// It was over before `receive` returned; nothing was allocated for it.
    case settled(EffectOutcome)
    case tree(TreeContext)
  }

  let storage: Storage

  @usableFromInline
  static var finished: EffectHandle { EffectHandle(storage: .settled(.finished)) }
  @usableFromInline
  static var inactive: EffectHandle { EffectHandle(storage: .settled(.inactive)) }

  /// The outcome of the effect, once everything attached to it has settled.
  ///
  /// Detached effects, timers and streams, are not waited for. Cancelling the waiting task does not end the wait; to
  /// have the effect cancelled with the task use ``AsyncStore/run(_:isolation:)``.
  public var outcome: EffectOutcome {
    get async {
      switch storage {
      case .settled(let outcome): outcome
      case .tree(let tree): await tree.outcome()
      }
    }
  }

  /// The outcome of the effect, or `nil` if it has not settled yet.
  public var outcomeIfSettled: EffectOutcome? {
    switch storage {
    case .settled(let outcome): outcome
    case .tree(let tree): tree.outcomeIfSettled
    }
  }

  /// True once everything attached to it has settled.
  public var isSettled: Bool { outcomeIfSettled != nil }

  /// Cancels the whole effect, detached effects included.
  ///
  /// A barrier: when this returns, nothing of it commits any more.
  ///
  /// Safe from any thread, and any number of times. After the attached part has settled, it still ends what is
  /// detached.
  public func cancel() {
    if case .tree(let tree) = storage { tree.cancel() }
  }
}
