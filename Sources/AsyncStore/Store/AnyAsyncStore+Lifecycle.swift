extension AnyAsyncStore {
  // MARK: Life

  /// True if the store accepts effects.
  public var isActive: Bool { runtime.isActive }

  /// The phase of the store between accepting effects and accepting none, for example for health checks.
  public var phase: StorePhase { runtime.phase }

  /// Accepts effects again, after ``deactivate()`` or a shutdown.
  ///
  /// Effects and bindings that were in flight before are not revived. A
  /// ``shutdown(drain:cleanup:keepingSources:file:line:)`` in progress ends with the error `reactivated`, and effects
  /// that have not been cancelled by then continue.
  ///
  /// Idempotent, safe from any thread. A new store is active.
  public func activate() { runtime.activate() }

  /// Cancels everything in flight, whether it has an identifier or not, and ends all streams and bindings.
  ///
  /// This is a barrier: when it returns, nothing commits any more, and ``AsyncStore/receive(_:isolation:)`` does
  /// nothing and returns a handle whose outcome is `inactive`. It is the hard stop: no `finally` runs, and no effect
  /// that an error maps to. To stop without losing anything, use ``shutdown(drain:cleanup:keepingSources:file:line:)``.
  /// Operations that ignore their cancellation may still be running.
  ///
  /// Idempotent, safe from any thread.
  public func deactivate() { runtime.deactivate() }

  /// Deactivates the store as if its process had crashed: its last state is not saved.
  package func crash() {
    for observer in runtime.lock({ $0.observers.all }) { observer.storeCrashes() }
    deactivate()
  }

  /// Stops the store without losing anything: drains it, cancels the effects that are left, and waits for their
  /// cleanup.
  ///
  /// 1. *Draining.* ``AsyncStore/receive(_:isolation:)`` does nothing and returns a handle whose outcome is `inactive`,
  ///    except for a `cancel` that is not part of a list. Timers, streams and bindings stop. Effects in flight
  ///    continue, with all the effects that they begin.
  /// 2. *Cleaning up.* Effects that have not ended within `drain` are cancelled, with the cleanup of every `finally`;
  ///    cleanups that had begun continue.
  /// 3. The store is inactive, as after ``deactivate()``. If another thread is still notifying observers of the last
  ///    values, the call waits for it, within the time of `cleanup`.
  ///
  /// Shut down stores that lift effects into other stores before those others. A draining store accepts no lifted
  /// effect, not even one that comes back from another store. It cancels the lifted effects that it has together with
  /// its own, even if they come from a cleanup that began here.
  ///
  /// Shut down stores that others are bound to before those others, so that their last values are seen. The shutdown
  /// does not wait for values in line for a store on an actor, nor for the effects that they are mapped to: `await` the
  /// bound store's state with `wait(for:toEqual:)` before you shut it down.
  ///
  /// ```swift
  /// store.receive(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 3)))
  /// let cancelled = try await store.shutdown()
  /// // store.count == 3
  /// // cancelled.isEmpty == true
  /// ```
  ///
  /// Safe from any thread. Several calls share the phases, each with its own limits. The first call whose time is up
  /// stops the store, as ``deactivate()`` does, and with it the cleanup that another call would have waited for longer.
  ///
  /// **Cancellation** of the calling task is the hard stop, ``deactivate()``. So don't call this method from an
  /// operation of the same store: the operation would be drained and cancelled itself, and the shutdown with it. Begin
  /// the shutdown in a task of its own.
  ///
  /// - Parameters:
  ///   - drain: the maximum time to wait for effects in flight, on the store's clock; zero or less for no wait, `nil`
  ///     for no limit. By default 20 seconds, which with the cleanup's 5 is less than the 30 that most supervisors give
  ///     a process.
  ///   - cleanup: the maximum time to wait for cancelled effects to return and to clean up, `nil` for no limit; with
  ///     zero or less, the call does not wait, and throws if anything is left.
  ///   - keepingSources: true if timers, streams and bindings continue while received effects drain. The shutdown does
  ///     not wait for them, and cancels them when those effects have ended.
  /// - Returns: the effects that were cancelled, by this call or by another one that shares the phases, as listed just
  ///   before; empty if everything ended by itself. Cleanups that had begun are not in the list, because they were not
  ///   cancelled, although the handle of an effect with only its cleanup left says `cancelled`.
  /// - Throws: ``AsyncStoreError`` with the code `stillRunning`, naming the effects that had not ended when the time
  ///   was up; with the code `deactivated`, naming the effects that were stopped without their cleanup, if something
  ///   was in flight when ``deactivate()`` was called meanwhile or the time of another shutdown was up; with the code
  ///   `reactivated` if ``activate()`` was called meanwhile; `CancellationError` if the calling task is cancelled.
  ///   Unless it was activated again, the store is inactive in any case.
  /// - Complexity: linear in the number of effects in flight, twice.
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

  /// Shuts the store down, and reports the cancelled effects even if something has not ended.
  ///
  /// - Parameters:
  ///   - cleanup: returns the limit of the cleanup; called when the draining has ended.
  ///   - willEnd: called when all waiting is over, before the store ends. That may take long, because a last state is
  ///     saved there.
  /// - Returns: the effects that ``shutdown(drain:cleanup:keepingSources:file:line:)`` returns, and the error that it
  ///   throws.
  package func shutdownResult(
    drain: Duration?, cleanup: @Sendable () -> Duration?, keepingSources: Bool = false,
    file: StaticString = #fileID, line: UInt = #line, willEnd: @Sendable () -> Void = {}
  ) async -> (cancelled: InFlight, error: (any Error)?) {
    let shutdown = Shutdown(runtime, at: CallSite(file: file, line: line))
    let begun = runtime.beginDraining(keepsSources: keepingSources)
    do {
      try shutdown.check(await runtime.waitUntilIdle(within: drain, ignoringSources: keepingSources, since: begun))
      try shutdown.check(runtime.beginCleanup(after: begun), against: begun)
      let limit = cleanup()
      let end = limit.map { runtime.time.now().advanced(by: $0.nanosecondsRoundedUp) }
      if try !shutdown.check(await runtime.waitUntilIdle(within: limit, since: begun)) {
        let (now, left) = runtime.remains()
        try shutdown.check(now, against: begun)
        if let left { throw shutdown.stillRunning(left) }
      }
      willEnd()
      try shutdown.check(runtime.deactivate { $0 == begun }, against: begun)
      let cancelled = runtime.endShutdown()
      await runtime.waitUntilDelivered(until: end)
      return (cancelled, nil)
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

  /// - Returns: true if the phase ended in time.
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
