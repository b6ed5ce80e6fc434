import Synchronization

/// A copy of the state that a transaction works on.
///
/// What others change meanwhile does not show in it.
///
/// **Isolation.** It has a lock of its own, and may be used by several tasks of the operation; in whatever order they
/// change it, in that order the state is changed at the end. What comes after the operation has returned may be lost.
@dynamicMemberLookup
public final class TransactionDraft<State: Sendable, Env: Sendable>: Sendable {
  typealias Step = @Sendable (AsyncStore<State, Env>.Attachment, inout State) throws -> AsyncStore<State, Env>.Effect

  private struct Content {
    var state: State
    var steps: [Step] = []
  }

  /// What the store's effects depend on.
  public let env: Env
  private let content: Mutex<Content>
  private let findPreviousError: @Sendable () -> (any Error)?

  init(_ state: State, _ env: Env, previousError: @escaping @Sendable () -> (any Error)?) {
    self.env = env
    findPreviousError = previousError
    content = Mutex(Content(state: state))
  }

  /// The draft as it is now.
  ///
  /// A copy: what is changed afterwards does not show in it.
  public var state: State { content.withLock { $0.state } }

  /// A property of the draft as it is now.
  public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { state[keyPath: keyPath] }

  /// Changes the draft.
  ///
  /// - Parameter change: runs now, on the draft and under its lock, and once more at the end, on the state and under
  ///   the store's; must call neither. What it throws at the end takes back the whole transaction.
  /// - Throws: what `change` throws now. The draft is then as it was before, and at the end this change is left out.
  /// - Complexity: the closure, twice, and a copy of what it changes of the draft.
  public func change(_ change: @escaping @Sendable (inout State) throws -> Void) throws {
    try add({ attachment, state in
      try change(&state)
      attachment.mutated(state)
      return .none
    }) { state in
      try change(&state)
      return true
    }
  }

  /// The first error of those in its ``TransactionGraph`` that this transaction depends on, directly or not.
  ///
  /// `nil` if none of them has failed, and for a transaction that was begun by itself.
  ///
  /// - Complexity: constant if nothing in the graph has failed, else linear in what it depends on and in the errors.
  public var previousError: (any Error)? { findPreviousError() }

  /// Ends the transaction if one that it depends on, directly or not, has failed.
  ///
  /// - Throws: ``previousError``. Where the operation lets it pass, it is this transaction's error too.
  public func rejectOnPreviousError() throws { if let error = previousError { throw error } }

  func add(_ step: @escaping Step, draft: (inout State) throws -> Bool) throws {
    // The lock's own closure can't pass an error on.
    let result: Result<Void, any Error> = content.withLock { content in
      do {
        // On a copy: a change that throws half-way has not happened, and may be caught.
        var state = content.state
        if try draft(&state) { content.state = state }
        content.steps.append(step)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Makes all changes to the state; what it throws has changed nothing.
  func commit(_ attachment: AsyncStore<State, Env>.Attachment, _ state: inout State) throws
    -> AsyncStore<State, Env>.Effect
  {
    var copy = state
    var effects: [AsyncStore<State, Env>.Effect] = []
    for step in content.withLock({ $0.steps }) { effects.append(try step(attachment, &copy)) }
    state = copy
    return .merge(effects: effects)
  }
}

extension TransactionDraft where State: Model, Env == State.Environment {
  /// Sends an action, to the draft now and to the store at the end.
  ///
  /// Its effect begins once the transaction has been committed, and is cancelled with it. Middleware is asked only at
  /// the end: the draft takes the action as it was sent.
  ///
  /// **Isolation.** `update` runs now under the draft's lock, and at the end under the store's.
  public func send(_ action: State.Action) {
    // No error can come of it: an action does not throw.
    try? add({ $0.update(&$1, action) }) { state in
      _ = State.update(&state, action)
      return true
    }
  }
}
