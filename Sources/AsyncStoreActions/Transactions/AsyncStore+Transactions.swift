import AsyncStore

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
  /// **Cancellation.** If the transaction is cancelled before its commit, it changes nothing, even if its operation
  /// ignores the cancellation; see ``TransactionRun/cancel()``.
  ///
  /// **Isolation.** The commit happens where and when commits of effects given to `receive(_:isolation:)` do.
  ///
  /// - Parameters:
  ///   - transaction: the transaction. A transaction that takes no time is over when this returns, unless it waits for
  ///     its turn, for its pace or for the store's actor. An error that it throws also goes to the store's `mapError`.
  ///   - id: the identifier by which it can be cancelled, in addition to its run; by default none. Without one,
  ///     `cancelAll` does not reach it.
  ///   - pacing: the order in which it runs with others under the identifier; by default it replaces them. The pacing
  ///     has no effect without an identifier.
  ///   - runs: transactions of any store that have to complete first, together with the effects of the actions that
  ///     they have sent; if one of them does not complete, this one is cancelled. For a run that is part of other
  ///     effects, see `transaction(_:file:line:)`, the effects of its actions are not awaited. By default none.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  ///   - file: the file of the call, for reports.
  ///   - line: the line of the call, for reports.
  /// - Returns: the run of the transaction; `cancelled` if the store is not active, or if it is deactivated or gone
  ///   before the commit.
  @discardableResult
  public func begin(
    _ transaction: StateTransaction<State, Env>, id: (any Hashable & Sendable)? = nil,
    pacing: TransactionPacing = .replace, after runs: [TransactionRun] = [],
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> TransactionRun {
    let run = TransactionRun(transaction.name)
    var effect = Effect.transaction(transaction, run, group: nil, file: file, line: line).after(runs, file, line)
    if let id { effect = pacing.apply(effect, EffectID(id), file, line) }
    run.follow(receive(effect, isolation: isolation))
    return run
  }
}

extension AsyncStore.Effect {
  /// Changes the state without notifying observers, which see the change with the next one.
  ///
  /// Bindings, sequences of values and Observation are not notified. An instrument receives the event. An ``ActionLog``
  /// and an ``UndoHistory`` include the change, and a persisted state is saved after it.
  ///
  /// - Parameter mutation: runs like the closure of a `set`, under the store's lock.
  public static func silently(
    _ mutation: @escaping @Sendable (inout State) -> Void, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .setSilently(mutation, file, line)
  }

  /// Runs a transaction as part of other effects.
  ///
  /// The transaction's error goes where an operation's error goes. The effects of the actions that it sends are part of
  /// it. Instruments see all of it under the transaction's name.
  ///
  /// In an effect of a part, of a ``ChildStore`` or of a pulled-back reducer, it is a transaction of the store on that
  /// part; it fails with the code `missing` if the part is missing.
  ///
  /// Each time the effect is reached, for example by another attempt of a `retry`, the transaction is a new
  /// ``TransactionRun``.
  ///
  /// **Cancellation.** If the transaction is cancelled before its commit, it changes nothing.
  public static func transaction(
    _ transaction: StateTransaction<State, Env>, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .transaction(transaction, nil, group: nil, file: file, line: line)
  }

  /// Returns this effect, delayed until `runs` have completed and the effects of their actions have settled; the latter
  /// are not awaited if a run is part of other effects.
  ///
  /// - Parameter isUnconditional: true if the effect also follows transactions that have not completed.
  func after(
    _ runs: [TransactionRun], orTheirFailure isUnconditional: Bool = false, _ file: StaticString, _ line: UInt
  ) -> Self {
    let effect: @Sendable () -> Self = { isUnconditional || runs.allSatisfy(\.isCommitted) ? self : .none }
    let ongoing = runs.filter { !$0.hasEnded }
    if ongoing.isEmpty { return effect() }
    return .task(
      {
        for run in ongoing { await run.ended() }
        return effect()
      }, file: file, line: line)
  }

  static func transaction(
    _ transaction: StateTransaction<State, Env>, _ run: TransactionRun?, group: TransactionGroup?,
    file: StaticString, line: UInt
  ) -> Self {
    let message = TransactionMessage(transaction: transaction, run: run, group: group, file: file, line: line)
    return .dispatch(message, file, line) { message.begin(&$0, &$1) }
      .label(transaction.name, file: file, line: line)
  }
}
