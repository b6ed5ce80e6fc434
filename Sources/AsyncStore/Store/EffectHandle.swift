/// A received effect, to wait for, to cancel, or to check whether it is over.
///
/// A handle may be dropped; the effect continues. The handle keeps neither the store nor the effect alive.
///
/// ```swift
/// let handle = store.receive(.task { .set(\.user, to: try await service.user()) })
/// let outcome = await handle.outcome
/// // outcome.isFinished == true
/// ```
public struct EffectHandle: Sendable {
  @usableFromInline
  enum Storage: Sendable {
    /// The effect was over before `receive` returned; nothing was allocated for it.
    case finished
    case inactive
    case tree(TreeContext)
  }

  @usableFromInline let storage: Storage

  @inlinable
  init(storage: Storage) { self.storage = storage }

  @inlinable static var finished: EffectHandle { EffectHandle(storage: .finished) }
  @usableFromInline static var inactive: EffectHandle { EffectHandle(storage: .inactive) }

  /// The outcome of the effect, once everything attached to it has settled.
  ///
  /// Detached effects, timers and streams, are not awaited. Cancelling the waiting task does not end the wait; to
  /// cancel the effect together with the task, use ``AsyncStore/run(_:)``.
  public var outcome: EffectOutcome {
    get async {
      switch storage {
      case .finished: .finished
      case .inactive: .inactive
      case .tree(let tree): await tree.outcome()
      }
    }
  }

  /// The outcome of the effect, or `nil` if it has not settled yet.
  public var outcomeIfSettled: EffectOutcome? {
    switch storage {
    case .finished: .finished
    case .inactive: .inactive
    case .tree(let tree): tree.outcomeIfSettled
    }
  }

  /// True once everything attached to the effect has settled.
  public var isSettled: Bool { outcomeIfSettled != nil }

  /// Cancels the whole effect, including detached effects.
  ///
  /// This is a barrier: when it returns, nothing of the effect commits any more. If the store is bound to an actor,
  /// cleanups begin in a turn there.
  ///
  /// Safe from any thread, and any number of times. After the attached part has settled, it still ends the detached
  /// effects.
  public func cancel() {
    if case .tree(let tree) = storage { tree.cancel() }
  }
}
