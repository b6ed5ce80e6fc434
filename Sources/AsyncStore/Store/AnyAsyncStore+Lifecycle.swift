extension AnyAsyncStore {
  // MARK: Life

  /// True if the store takes effects.
  public var isActive: Bool { runtime.isActive }

  /// The phase of the store between taking effects and taking none, for example for health checks.
  public var phase: StorePhase { runtime.phase }

  /// Takes effects again, after ``deactivate()`` or a shutdown.
  ///
  /// Effects that were in flight before are not revived, nor are bindings. A
  /// ``shutdown(drain:cleanup:keepingSources:file:line:)`` that is under way ends with the error `reactivated`, and
  /// effects that have not been cancelled by then go on.
  ///
  /// Idempotent, safe from any thread. A new store is active.
  public func activate() { runtime.activate() }

  /// Cancels everything in flight, whether it has an identifier or not, and ends all streams and bindings.
  ///
  /// A barrier: when this returns, nothing commits any more, and ``AsyncStore/receive(_:isolation:)`` does nothing and
  /// returns a handle whose outcome is `inactive`. This is the hard stop: no `finally` runs, and no effect that an
  /// error maps to. To stop without losing anything use ``shutdown(drain:cleanup:keepingSources:file:line:)``.
  /// Operations that ignore their cancellation may still be running.
  ///
  /// Idempotent, safe from any thread.
  public func deactivate() { runtime.deactivate() }

  /// Deactivates the store as if its process had crashed: its last state is not saved.
  package func crash() {
    for observer in runtime.lock({ $0.observers.all }) { observer.storeCrashes() }
    deactivate()
  }

  /// Stops the store without losing anything: drains it, cancels what is left, and waits for the cleanup.
  ///
  /// 1. *Draining.* ``AsyncStore/receive(_:isolation:)`` does nothing and returns a handle whose outcome is `inactive`,
  ///   except for a `cancel` that is not part of a list. Timers, streams and bindings stop. What is in flight goes on,
  ///   with all the effects that it begins.
  /// 2. *Cleaning up.* Effects that have not ended within `drain` are cancelled, with the cleanup of every `finally`;
  ///   cleanups that had begun go on.
  /// 3. The store is inactive, as after ``deactivate()``.
  ///
  /// Shut stores that lift effects into others down before those. A store that drains takes no lifted effect, not even
  /// one that comes back from another store. It cancels those that it has with its own, even if they come from a
  /// cleanup that began here.
  ///
  /// Shut stores that others are bound to down before those, so that their last values are seen. Values in line for a
  /// store on an actor are not waited for: `await` its state with `wait(for:toEqual:)` before you shut it down.
  ///
  /// ```swift
  /// store.receive(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 3)))
  /// let cancelled = try await store.shutdown()
  /// // store.count == 3
  /// // cancelled.isEmpty == true
  /// ```
  ///
  /// Safe from any thread; several calls share the phases, each with its own limits. The first whose time is up stops
  /// the store, as ``deactivate()`` does, and with it the cleanup that another one would have waited for longer.
  ///
  /// **Cancellation** of the calling task is the hard stop, ``deactivate()``. So an operation of this store's own does
  /// not call it: it would be drained and cancelled itself, and with it the shutdown. Begin it in a task of its own.
  ///
  /// - Parameters:
  ///   - drain: the longest time to wait for what is in flight, on the store's clock; zero and below for no wait, `nil`
  ///     for no limit. By default 20 seconds, which with the cleanup's 5 is less than the 30 that most supervisors
  ///     give a process.
  ///   - cleanup: the longest time to wait for what was cancelled to return and to clean up; zero and below for no
  ///     wait, so that it throws if anything is left, `nil` for no limit.
  ///   - keepingSources: true if timers, streams and bindings go on while effects that were received drain. They are
  ///     not waited for, and are cancelled when those have ended.
  /// - Returns: the effects that were cancelled, by this call or by another one that shares the phases, as they were
  ///   listed just before; empty if everything ended by itself. Cleanups that had begun are not in it, because they
  ///   were not cancelled, though the handle of an effect of which only the cleanup was left says `cancelled`.
  /// - Throws: ``AsyncStoreError`` with the code `stillRunning`, naming what had not ended when the time was up; with
  ///   the code `deactivated`, naming what was stopped without its cleanup, if ``deactivate()`` was called meanwhile,
  ///   or the time of another shutdown was up, and something was in flight then; with the code `reactivated` if
  ///   ``activate()`` was; `CancellationError` if the calling task is cancelled. Unless it was activated again the
  ///   store is inactive in any case.
  /// - Complexity: linear in the effects in flight, twice.
  @discardableResult
  public func shutdown(
    drain: Duration? = .seconds(20), cleanup: Duration? = .seconds(5), keepingSources: Bool = false,
    file: StaticString = #fileID, line: UInt = #line
  ) async throws -> InFlight {
    let (cancelled, error) = await shutdownResult(
      drain: drain, cleanup: { cleanup }, keepingSources: keepingSources, file: file, line: line)
    if let error { throw error }
    return cancelled
  }

  /// Shuts the store down, and says what was cancelled also if something has not ended.
  ///
  /// - Parameters:
  ///   - cleanup: returns the limit of the cleanup; called when the draining has ended.
  ///   - willEnd: called when all waiting is over, before the store ends. That may take long: a last state is saved
  ///     there.
  /// - Returns: what ``shutdown(drain:cleanup:keepingSources:file:line:)`` returns, and what it throws.
  package func shutdownResult(
    drain: Duration?, cleanup: @Sendable () -> Duration?, keepingSources: Bool = false,
    file: StaticString = #fileID, line: UInt = #line, willEnd: @Sendable () -> Void = {}
  ) async -> (cancelled: InFlight, error: (any Error)?) {
    let shutdown = Shutdown(runtime, at: CallSite(file: file, line: line))
    let begun = runtime.beginDraining(keepsSources: keepingSources)
    do {
      try shutdown.check(await runtime.waitUntilIdle(within: drain, ignoringSources: keepingSources, since: begun))
      try shutdown.check(runtime.beginCleanup(after: begun), against: begun)
      if try !shutdown.check(await runtime.waitUntilIdle(within: cleanup(), since: begun)) {
        let (now, left) = runtime.remains()
        try shutdown.check(now, against: begun)
        if let left { throw shutdown.stillRunning(left) }
      }
      willEnd()
      try shutdown.check(runtime.deactivate { $0 == begun }, against: begun)
      return (runtime.endShutdown(), nil)
    } catch {
      let cancelled = runtime.endShutdown()
      willEnd()
      runtime.deactivate { $0.activations == begun.activations }
      return (cancelled, error)
    }
  }
}

/// One shutdown, and its errors.
private struct Shutdown {
  private let runtime: Runtime
  private let location: CallSite

  init(_ runtime: Runtime, at location: CallSite) {
    self.runtime = runtime
    self.location = location
  }

  /// - Returns: true if the phase has ended in time.
  @discardableResult
  func check(_ outcome: PhaseWait.Outcome) throws -> Bool {
    switch outcome {
    case .rested: return true
    case .timedOut: return false
    case .reactivated: throw reactivated()
    case .deactivated(let left): throw deactivated(left)
    }
  }

  func check(_ now: Interruptions, against begun: Interruptions) throws {
    if now.activations != begun.activations { throw reactivated() }
    if now.hardStops != begun.hardStops { throw deactivated(runtime.stoppedHard) }
  }

  func stillRunning(_ left: InFlight) -> AsyncStoreError {
    let message = "These had not ended when the time for the cleanup was over:\n\(left)"
    return AsyncStoreError(.stillRunning, message, inFlight: left, at: location)
  }

  private func reactivated() -> AsyncStoreError {
    AsyncStoreError(.reactivated, "The store was activated while it was being shut down.", at: location)
  }

  private func deactivated(_ left: InFlight) -> AsyncStoreError {
    let message =
      "The store was deactivated while it was being shut down. These were stopped without cleanup:\n\(left)"
    return AsyncStoreError(.deactivated, message, inFlight: left, at: location)
  }
}
