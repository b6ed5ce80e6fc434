extension AsyncStore {
  /// Begins a transaction.
  ///
  /// ```swift
  /// let spend = StateTransaction<Counter, UserService>("spend") { state in
  ///   state.count -= 3
  ///   if state.count < 0 { throw UserService.Unavailable() }
  /// }
  /// let run = store.begin(spend)
  /// // store.count == 0
  /// // "\(run.status)" == "failed: Unavailable()"
  /// ```
  ///
  /// **Cancellation.** Cancelled before its commit it changes nothing, also if its operation ignores that; see
  /// ``TransactionRun/cancel()``.
  ///
  /// **Isolation.** Where the commit takes place, and when, is as for the effects that `receive(_:isolation:)` is
  /// given.
  ///
  /// - Parameters:
  ///   - transaction: what is to be done. One that takes no time is over when this returns, unless it waits for its
  ///     turn, for its pace or for the store's actor. An error it throws goes to the store's `mapError` as well.
  ///   - id: what it can be cancelled by; by default nothing but its run.
  ///   - pacing: what it has to do with others under the identifier; by default it takes their place. Without an
  ///     identifier it means nothing.
  ///   - isolation: where the caller is; leave it to the compiler.
  /// - Returns: what becomes of it; `cancelled` if the store is not active, or if it is deactivated or gone before the
  ///   commit.
  @discardableResult
  public func begin(
    _ transaction: StateTransaction<State, Env>, id: (any Hashable & Sendable)? = nil,
    pacing: TransactionPacing = .replacing, isolation: isolated (any Actor)? = #isolation
  ) -> TransactionRun {
    let run = TransactionRun(transaction.name)
    var effect = Effect.transaction(transaction, run, group: nil)
    if let id { effect = pacing.apply(effect, EffectID(id)) }
    run.follow(receive(effect, isolation: isolation))
    return run
  }
}

extension AsyncStore.Effect {
  /// Changes the state and tells no observer of it; they see it with the next change.
  ///
  /// Bindings, sequences of values and Observation stay as they are. An instrument is told, and an ``ActionLog`` has the change.
  ///
  /// - Parameter mutation: runs as the closure of a `set` does, under the store's lock.
  public static func silently(
    _ mutation: @escaping @Sendable (inout State) -> Void, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .setSilently(mutation, file, line)
  }

  /// Runs a transaction as part of other effects.
  ///
  /// What it throws goes where an operation's error goes. The effects of the actions that it sends are part of it.
  ///
  /// It belongs to the store whose state it changes: in an effect of a part, of a ``ChildStore`` or of a reducer that
  /// was pulled back, it traps when it is reached.
  ///
  /// **Cancellation.** Cancelled before its commit it changes nothing.
  public static func transaction(
    _ transaction: StateTransaction<State, Env>, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .transaction(transaction, TransactionRun(transaction.name), group: nil)
  }

  static func transaction(
    _ transaction: StateTransaction<State, Env>, _ run: TransactionRun, group: TransactionGroup?
  ) -> Self {
    let fail: @Sendable (any Error) -> Self = { error in
      run.reach(.failed(error))
      group?.fail(run.name, error)
      return .task {
        run.tell()
        throw error
      }
    }
    let commit: @Sendable (@escaping TransactionDraft<State, Env>.Step) -> Commit = { step in
      { attachment, state in
        do {
          let effect = try attachment.whole { try step(attachment, &state) }
          run.reach(.completed)
          return effect.isNone
            ? .none
            : .merge(
              effect,
              .task {
                run.tell(); return .none
              })
        } catch {
          return fail(error)
        }
      }
    }
    switch transaction.body {
    case .change(let change):
      return .dispatch(TransactionMessage(), #fileID, #line) { attachment, state in
        run.reach(.started)
        return commit { attachment, state in
          var copy = state
          try change(&copy)
          state = copy
          attachment.mutated(state)
          return .none
        }(attachment, &state)
      }
    case .operation(let operation):
      return .read { state in
        .perform { env in
          run.reach(.started)
          run.tell()
          let draft = TransactionDraft(state, env) { group?.error(before: run.name) }
          do {
            try await operation(draft)
          } catch {
            if Task.isCancelled { throw error }
            return fail(error)
          }
          return .dispatch(TransactionMessage(), #fileID, #line, commit(draft.commit))
        }
      }
    }
  }

  typealias Commit = @Sendable (AsyncStore.Attachment, inout State) -> Self
}

/// Transactions are begun at the store whose state they change.
private struct TransactionMessage: Sendable {}
