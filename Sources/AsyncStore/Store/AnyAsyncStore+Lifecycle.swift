extension AnyAsyncStore {
  // MARK: Life

  /// Whether the store takes effects.
  public var isActive: Bool { lock { $0.isActive } }

  /// Takes effects again, after ``deactivate()``.
  ///
  /// What was in flight before is not revived, nor are bindings.
  ///
  /// Idempotent, safe from any thread. A new store is active.
  public func activate() { lock { $0.isActive = true } }

  /// Cancels everything in flight, whether it has an identifier or not, and ends all streams and bindings.
  ///
  /// A barrier: when this returns nothing commits any more, and ``AsyncStore/receive(_:isolation:)`` does nothing and says so.
  /// Operations that ignore their cancellation may still be running; ``shutdown(deadline:file:line:)`` waits for them. What
  /// their errors map to is not interpreted.
  ///
  /// Idempotent, safe from any thread.
  public func deactivate() { end() }

  /// Cancels one received tree, by its handle.
  func cancelTree(_ root: StrandID) { perform { $0.machine.cancelTree(root, &$0.pass) } }

  func end() {
    perform { core in
      core.isActive = false
      core.machine.cancelAll(&core.pass)
      // At once with the rest, or one that comes after the next `activate` would be ended too. They are told behind the
      // values that were committed before.
      for observer in takeObservers(&core) { core.deliveries.append(.end(observer)) }
    }
  }

  /// Deactivates the store and waits until all of its operations have returned.
  ///
  /// - Parameter deadline: how long to wait at most, on the store's clock; by default for ever.
  /// - Throws: ``AsyncStoreError`` with the code `stillRunning`, naming the operations that have not returned by then;
  ///   `CancellationError` if the calling task is cancelled first. The store is deactivated in any case.
  public func shutdown(deadline: Duration? = nil, file: StaticString = #fileID, line: UInt = #line) async throws {
    deactivate()
    let location = SourceLocation(file: file, line: line)
    let rest = Rest()
    let isAtRest = lock { core in
      if core.machine.liveCount > 0 { core.restWaiters.append { rest.come(.success(())) } }
      return core.machine.liveCount == 0
    }
    if isAtRest { return }
    let alarm = deadline.map { deadline in
      let moment = time.now().advanced(by: deadline.nanosecondsRoundedUp)
      return Task(executorPreference: executor) { [weak self, time] in
        try await time.sleep(moment)
        guard let inFlight = self?.inFlight else { return }
        let message = "After \(deadline) these had not returned:\n\(inFlight)"
        rest.come(.failure(AsyncStoreError(.stillRunning, message, inFlight: inFlight, at: location)))
      }
    }
    defer { alarm?.cancel() }
    try await rest.value()
  }
}
