/// A copy of the state that a transaction works on.
///
/// Changes by others do not show in it. At the end, the values that were read are compared with the state at that time.
/// If they differ, nothing of the draft is committed, and the operation is run again on a new draft.
///
/// **Isolation.** The draft has a lock of its own, and may be used by several tasks of the operation; at the end, their
/// reads and changes are repeated on the state in the same order. Changes after the operation has returned may be lost.
@dynamicMemberLookup
public final class TransactionDraft<State: Sendable, Env: Sendable>: Sendable {
  /// The dependencies of the store's effects.
  public let env: Env
  /// The number of this run, from 1.
  public let attempt: Int
  let content: any DraftContent<State, Env>
  let findPreviousError: @Sendable () -> (any Error)?

  init(
    _ content: any DraftContent<State, Env>, env: Env, attempt: Int,
    previousError: @escaping @Sendable () -> (any Error)?
  ) {
    self.content = content
    self.env = env
    self.attempt = attempt
    findPreviousError = previousError
  }

  /// A property of the current draft.
  ///
  /// If the key path may trap, with a `!` or an index, the whole state is compared at the end. So the store's state has
  /// to be `Equatable`; otherwise, the transaction fails with the code `incomparable`, unless it only reads.
  ///
  /// - Complexity: that of the key path, and a comparison at the end, under the store's lock.
  public subscript<Value: Equatable & Sendable>(dynamicMember keyPath: KeyPath<State, Value> & Sendable) -> Value {
    if keyPath.mayTrap { return content.whole[keyPath: keyPath] }
    return content.read(ReadName(keyPath)) { $0[keyPath: keyPath] }
  }

  /// Reads the current draft.
  ///
  /// Use it for values that can't themselves be compared, and to compare less than a property: only the result counts.
  ///
  /// - Parameter body: runs now, on the draft and under its lock, and again at the end, on the state and under the
  ///   store's lock; must call neither. It has to work for every state.
  /// - Complexity: the closure, twice, and a comparison of its result.
  public func read<Value: Equatable & Sendable>(_ body: @escaping @Sendable (State) -> Value) -> Value {
    content.read(nil, body)
  }

  /// Changes the draft.
  ///
  /// A change that depends only on the state it receives never conflicts with changes by others: it is repeated on the
  /// state at the end.
  ///
  /// - Parameter change: runs now, on the draft and under its lock, and again at the end, on the state and under the
  ///   store's lock; must call neither. If it throws there but did not throw here, or the other way round, or throws
  ///   another error, others have changed something that it depends on, and the operation is run again. Errors are
  ///   compared by `==` or, if they are not `Equatable`, by how they are printed.
  /// - Throws: the error that `change` throws now. The draft is then unchanged.
  /// - Complexity: the closure, twice, and a copy of the parts of the draft that it changes.
  public func change(_ change: @escaping @Sendable (inout State) throws -> Void) throws {
    try content.change(change)
  }

  /// The first error of the transactions in its ``TransactionGraph`` that this one depends on, directly or indirectly.
  ///
  /// `nil` if none of them has failed, and for a transaction that was begun by itself.
  ///
  /// - Complexity: constant if nothing in the graph has failed, otherwise linear in the number of its dependencies and
  ///   of errors.
  public var previousError: (any Error)? { findPreviousError() }

  /// Throws the first error of the transactions that it depends on, directly or indirectly, if there is one.
  ///
  /// - Throws: ``previousError``. If the operation does not catch it, it is this transaction's error too.
  public func throwPreviousError() throws { if let error = previousError { throw error } }
}

extension TransactionDraft where State: Equatable {
  /// The current draft.
  ///
  /// This is a copy that does not show later changes. The whole state has to be the same at the end, so that any change
  /// by others is a conflict; instead, read the properties that you need by name.
  public var state: State { content.read(ReadName(\State.self)) { $0 } }
}

extension TransactionDraft where State: Model, Env == State.Environment {
  /// Sends an action, to the draft now and to the store at the end.
  ///
  /// The action's effect begins once the transaction has been committed, and is cancelled with it. Middleware that
  /// changes or stops actions runs now, as it was when the operation began, and again at the end. The effects of
  /// middleware, and observers, see only what is committed.
  ///
  /// **Isolation.** `update` runs now under the draft's lock, and at the end under the store's lock.
  public func send(_ action: State.Action) { content.send(action, DraftedAction(action)) }
}
