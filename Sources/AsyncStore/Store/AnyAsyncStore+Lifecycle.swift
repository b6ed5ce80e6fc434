extension AnyAsyncStore {
  // MARK: Life

  /// Whether the store takes effects.
  public var isActive: Bool { base.isActive }

  /// Takes effects again, after ``deactivate()``.
  ///
  /// What was in flight before is not revived, nor are bindings.
  ///
  /// Idempotent, safe from any thread. A new store is active.
  public func activate() { base.lock { $0.isActive = true } }

  /// Cancels everything in flight, whether it has an identifier or not, and ends all streams and bindings.
  ///
  /// A barrier: when this returns nothing commits any more, and ``AsyncStore/receive(_:isolation:)`` does nothing and says so.
  /// Operations that ignore their cancellation may still be running; ``shutdown(deadline:file:line:)`` waits for them. What
  /// their errors map to is not interpreted.
  ///
  /// Idempotent, safe from any thread.
  public func deactivate() { base.end() }

  /// Deactivates the store and waits until all of its operations have returned.
  ///
  /// - Parameter deadline: how long to wait at most, on the store's clock; by default for ever.
  /// - Throws: ``AsyncStoreError`` with the code `stillRunning`, naming the operations that have not returned by then;
  ///   `CancellationError` if the calling task is cancelled first. The store is deactivated in any case.
  public func shutdown(deadline: Duration? = nil, file: StaticString = #fileID, line: UInt = #line) async throws {
    deactivate()
    let location = CallSite(file: file, line: line)
    let rest = Rest()
    let isAtRest = base.lock { core in
      if core.machine.liveCount > 0 { core.restWaiters.append { rest.come(.success(())) } }
      return core.machine.liveCount == 0
    }
    if isAtRest { return }
    let alarm = deadline.map { deadline in
      let moment = base.time.now().advanced(by: deadline.nanosecondsRoundedUp)
      return Task(executorPreference: base.executor) { [base] in
        try await base.time.sleep(until: moment)
        let inFlight = base.inFlight
        let message = "After \(deadline) these had not returned:\n\(inFlight)"
        rest.come(.failure(AsyncStoreError(.stillRunning, message, inFlight: inFlight, at: location)))
      }
    }
    defer { alarm?.cancel() }
    try await rest.value()
  }
}
