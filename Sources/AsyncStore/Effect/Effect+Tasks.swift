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
}
