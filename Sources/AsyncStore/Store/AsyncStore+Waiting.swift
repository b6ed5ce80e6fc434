extension AsyncStore {
  // MARK: Waiting

  /// Waits until a property has a value.
  ///
  /// - Parameters:
  ///   - keyPath: the property.
  ///   - value: the value to wait for; if the property already equals it, this returns without waiting.
  ///   - timeout: the maximum time to wait, on the store's clock; by default forever.
  /// - Throws: the same errors as ``wait(for:toSatisfy:timeout:file:line:)``.
  public func wait<Value: Equatable & Sendable>(
    for keyPath: KeyPath<State, Value> & Sendable, toEqual value: Value, timeout: Duration? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    try await wait(for: keyPath, toSatisfy: { $0 == value }, timeout: timeout, file: file, line: line)
  }

  /// Waits until a property satisfies a condition.
  ///
  /// The store stays alive while somebody waits.
  ///
  /// - Parameters:
  ///   - keyPath: the property.
  ///   - condition: called with the current value and each later one, without exception. It runs on the calling task or
  ///     a child of it, not under the store's lock.
  ///   - timeout: the maximum time to wait, on the store's clock; by default forever.
  /// - Returns: the first value that satisfies the condition.
  /// - Throws: ``AsyncStoreError`` with the code `timedOut` or `storeEnded`, or `unsafeKeyPath` if the key path has a
  ///   `!`, or a subscript with an index whose value is not optional, because its element may be gone at the next look;
  ///   `CancellationError` if the calling task is cancelled.
  @discardableResult
  public func wait<Value: Equatable & Sendable>(
    for keyPath: KeyPath<State, Value> & Sendable, toSatisfy condition: @escaping @Sendable (Value) -> Bool,
    timeout: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    let location = CallSite(file: file, line: line)
    guard !keyPath.mayTrap else { throw AsyncStoreError.unsafe(keyPath, at: location) }
    // Reading begins before the first check, so that no value from now on is missed.
    let iterator = values(of: keyPath).makeAsyncIterator()
    let reader = iterator.reader
    defer { withExtendedLifetime(iterator) {} }
    // The first value may not have been delivered yet by an actor or a busy thread.
    let current = reader.poll() ?? withState { $0[keyPath: keyPath] }
    if condition(current) { return current }
    return try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask {
        while let value = await reader.next() {
          if condition(value) { return value }
        }
        try Task.checkCancellation()
        throw AsyncStoreError(.storeEnded, "The store ended before the condition was met.", at: location)
      }
      if let timeout {
        let deadline = runtime.time.now().advanced(by: timeout.nanosecondsRoundedUp)
        group.addTask { [runtime] in
          try await runtime.sleep(until: deadline)
          if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
          // The value may have been committed but not delivered.
          let last = self.withState { $0[keyPath: keyPath] }
          if condition(last) { return last }
          throw AsyncStoreError(.timedOut, "The condition was not met within \(timeout).", at: location)
        }
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { preconditionFailure("the task group has returned no result") }
      return value
    }
  }
}
