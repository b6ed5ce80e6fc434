extension AsyncStore.Effect {
  /// Runs an asynchronous operation and then, in its place, the effect that it returns.
  ///
  /// ```swift
  /// await store.run(.task { .set(\.user, to: try await service.user()) })
  /// // store.user == "Ada"
  /// ```
  ///
  /// - Parameter operation: runs in a Swift task with the priority and the task-local values of the caller of
  ///   `receive`, on no actor. An error that it throws goes to the nearest ``recover(_:file:line:)``, or else to the
  ///   store's `mapError`.
  ///
  /// **Cancellation.** If the effect is cancelled before its start, the operation never runs. A running operation sees
  /// `Task.isCancelled`, and its result is dropped. If it then throws a `CancellationError`, that goes only to
  /// `mapError`; any other error goes to the nearest ``recover(_:file:line:)`` that was not cancelled with it, or else
  /// to `mapError`.
  @inlinable
  public static func task(
    _ operation: @escaping @Sendable () async throws -> Self, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(AsyncStore.OperationNode(operation, CallSite(file: file, line: line)))
  }

  /// Runs an asynchronous operation under an identifier; cancels an operation in flight under that identifier first.
  @inlinable
  public static func task(
    _ operation: @escaping @Sendable () async throws -> Self, _ id: some Hashable & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    task(operation, file: file, line: line).id(id, file: file, line: line)
  }

  /// Runs an asynchronous operation under an identifier; cancels an operation in flight under that identifier first.
  @inlinable
  public static func task(
    id: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @Sendable () async throws -> Self
  ) -> Self {
    task(operation, id, file: file, line: line)
  }

  /// Runs an asynchronous operation on the store's environment and then, in its place, the effect that it returns.
  ///
  /// Prefer it to capturing the store: an effect in flight then keeps the environment alive, and not the store. For an
  /// operation that needs no environment, use ``task(_:file:line:)``.
  ///
  /// ```swift
  /// await store.run(.perform { service in .set(\.items, to: try await service.items()) })
  /// // store.items == ["one", "two"]
  /// ```
  ///
  /// - Parameter operation: takes the store's `env` or, in an effect of a part, the part's environment. It runs, fails
  ///   and is cancelled like the operation of ``task(_:file:line:)``.
  @inlinable
  public static func perform(
    _ operation: @escaping @Sendable (Env) async throws -> Self, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(AsyncStore.OperationNode(operation, CallSite(file: file, line: line)))
  }

  /// Runs an asynchronous operation on the store's environment under an identifier; cancels an operation in flight
  /// under that identifier first.
  ///
  /// - Parameters:
  ///   - id: the operation's identifier.
  ///   - operation: like the operation of ``perform(_:file:line:)``.
  @inlinable
  public static func perform(
    id: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @Sendable (Env) async throws -> Self
  ) -> Self {
    perform(operation, file: file, line: line).id(id, file: file, line: line)
  }

  /// Runs an asynchronous operation on a value.
  ///
  /// ```swift
  /// await store.run(.dataTask(credentials, login))
  /// // store.user == "Ada"
  /// ```
  public static func dataTask<Value: Sendable>(
    _ value: Value, _ operation: @escaping @Sendable (Value) async throws -> Self, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Self {
    task({ try await operation(value) }, file: file, line: line)
  }

  /// Runs an asynchronous operation on a value under an identifier; cancels an operation in flight under that
  /// identifier first.
  public static func dataTask<Value: Sendable>(
    _ value: Value, _ operation: @escaping @Sendable (Value) async throws -> Self, _ id: some Hashable & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    task({ try await operation(value) }, id, file: file, line: line)
  }

  /// Interprets an effect in another store, as part of this tree, which waits for it and is cancelled with it.
  ///
  /// Timers and streams that the effect starts there belong to the scope around this effect and are cancelled with it.
  /// Errors go to the other store's `mapError`; a ``recover(_:file:line:)`` or a retry around this effect does not see
  /// them. But an effect that does not finish there does not complete here: if it fails, is cancelled or dropped, or if
  /// the store is not active, a ``sequence(_:file:line:)`` around it ends and is undone, and a race that has to succeed
  /// continues until another entrant wins. Compensations inside the effect are not part of a sequence here: compensate
  /// the lift. If the other store is the one that interprets this effect, the lifted effect is simply interpreted.
  ///
  /// - Parameters:
  ///   - effect: the effect that the other store receives. Lifting ``none`` is ``none``, even into an inactive store.
  ///   - store: the other store, which the effect keeps alive. If it is inactive, nothing happens.
  public static func lift<OtherState, OtherEnv>(
    _ effect: AsyncStore<OtherState, OtherEnv>.Effect, to store: AsyncStore<OtherState, OtherEnv>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    if effect.isNone { return .none }
    return .node(AsyncStore.ClosureNode(lifting: effect.asNode, to: store, CallSite(file: file, line: line)))
  }

  /// Interprets one effect for each element of a sequence as it arrives.
  ///
  /// The effect is detached: nobody waits for it. It ends with the sequence, or when a scope around it is cancelled.
  ///
  /// **Cancellation** cancels the task that iterates the sequence, and the effects of its elements. The stream ends
  /// without an error.
  ///
  /// - Parameters:
  ///   - sequence: iterated in a task of its own. An error that it throws goes to the nearest
  ///     ``recover(_:file:line:)``, or else to the store's `mapError`; it ends no attempt of a retry, no race and no
  ///     sequence of effects.
  ///   - strategy: the rule for effects of earlier elements that are still in flight; by default they continue.
  ///   - mapEffect: runs in that task, not under the store's lock.
  public static func stream<Elements: AsyncSequence & Sendable>(
    _ sequence: Elements, strategy: StreamStrategy = .each, file: StaticString = #fileID, line: UInt = #line,
    mapEffect: @escaping @Sendable (Elements.Element) -> Self
  ) -> Self {
    let iteration: AsyncStore.ClosureNode.Iteration = { hasEnded, emit in
      var count = 0
      for try await element in sequence {
        // Other tasks of the executor get a turn, because a sequence that always has an element never suspends.
        count &+= 1
        if count & 63 == 0 { await Task.yield() }
        if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
        guard !hasEnded(), emit(mapEffect(element)) else { return }
      }
    }
    return .node(.source(strategy.source), .sequence(iteration), file, line)
  }
}
