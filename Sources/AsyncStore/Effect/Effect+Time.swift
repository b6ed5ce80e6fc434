extension AsyncStore.Effect {
  /// Waits.
  ///
  /// Time is measured by the store's clock; no task sleeps.
  ///
  /// Law 13: the sleep ends `duration` after it began, never earlier, and consecutive sleeps add up exactly.
  ///
  /// **Cancellation** ends the sleep at once, without an error.
  ///
  /// - Parameter duration: zero or less ends at once, as ``none`` does.
  /// - Complexity: O(log n) in the number of the store's deadlines; amortized for a cancelled sleep.
  public static func sleep(_ duration: Duration, file: StaticString = #fileID, line: UInt = #line) -> Self {
    .node(.sleep(duration.nanosecondsRoundedUp), file, line)
  }

  /// Waits for a number of seconds.
  ///
  /// - Parameter seconds: zero or less ends at once, as ``none`` does; a number that is not finite traps.
  public static func sleep(_ seconds: Double, file: StaticString = #fileID, line: UInt = #line) -> Self {
    sleep(Duration(finiteSeconds: seconds), file: file, line: line)
  }

  /// Interprets an effect at regular intervals.
  ///
  /// The effect is detached: nobody waits for it, and it continues when the effect that started it has settled. It ends
  /// with `cancel(id)`, or when a scope around it is cancelled.
  ///
  /// Law 14: tick k is due at the start plus k intervals, whatever the effects cost. Overdue ticks are merged into one.
  ///
  /// - Parameters:
  ///   - interval: the time between two ticks, and before the first; zero or less traps.
  ///   - id: the timer's identifier; a timer in flight under it is replaced.
  ///   - mapEffect: runs when a tick is due, not under the store's lock.
  public static func timer(
    _ interval: Duration, id: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line,
    mapEffect: @escaping @Sendable (TimerTick) -> Self
  ) -> Self {
    let span = interval.nanosecondsRoundedUp
    trap(unless: span > 0, "A timer's interval must be above zero, not \(interval).")
    return .node(.timer(interval: span), .timer(mapEffect), file, line).id(id, file: file, line: line)
  }

  /// Interprets an effect at regular intervals, given in seconds.
  ///
  /// - Parameters:
  ///   - seconds: finite and greater than zero, even after conversion to a `Duration`; anything else traps.
  ///   - id: the timer's identifier; a timer in flight under it is replaced.
  ///   - mapEffect: runs when a tick is due, not under the store's lock.
  public static func timer(
    _ seconds: Double, id: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line,
    mapEffect: @escaping @Sendable (TimerTick) -> Self
  ) -> Self {
    timer(Duration(finiteSeconds: seconds), id: id, file: file, line: line, mapEffect: mapEffect)
  }

  /// Runs an operation once its identifier has been quiet for a while.
  ///
  /// Law 15: each call under the identifier cancels the previous one, so that the last operation of a burst runs, at
  /// the time of the last call plus `duration`. To debounce any effect, use ``debounce(for:id:file:line:)``.
  ///
  /// **Cancellation** during the wait: the operation never begins. A newer call under the identifier cancels it even
  /// when it is already running.
  ///
  /// - Parameters:
  ///   - operation: returns the effect that takes its place.
  ///   - duration: zero or less runs the operation at once.
  ///   - id: the operation's identifier; effects in flight under it are replaced.
  @inlinable
  public static func debounce(
    _ operation: @escaping @Sendable () async throws -> Self, for duration: Duration, id: some Hashable & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    task(operation, file: file, line: line).debounce(for: duration, id: id, file: file, line: line)
  }

  /// Runs an operation once its identifier has been quiet for a number of seconds.
  ///
  /// - Parameters:
  ///   - operation: the operation, which runs in a task.
  ///   - seconds: zero or less runs the operation at once; a number that is not finite traps.
  ///   - id: the identifier; a newer call under it cancels the operation.
  public static func debounce(
    _ operation: @escaping @Sendable () async throws -> Self, for seconds: Double, id: some Hashable & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    debounce(operation, for: Duration(finiteSeconds: seconds), id: id, file: file, line: line)
  }

  /// Runs this effect once the identifier has been quiet for `duration`.
  ///
  /// **Cancellation** during the wait: the effect never begins. A newer call under the identifier cancels it even when
  /// it is already running.
  ///
  /// - Parameters:
  ///   - duration: zero or less runs the effect at once.
  ///   - id: the identifier that has to be quiet, and the effect's own.
  @inlinable
  public func debounce(
    for duration: Duration, id: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    delayed(by: duration, file, line).id(id, file: file, line: line)
  }

  /// A sleep followed by this effect.
  @usableFromInline
  func delayed(by duration: Duration, _ file: StaticString, _ line: UInt) -> Self {
    guard case .node(let node) = self else {
      return .concatenate(.sleep(duration, file: file, line: line), self, file: file, line: line)
    }
    return .node(DelayNode(duration.nanosecondsRoundedUp, before: node, CallSite(file: file, line: line)))
  }

  /// Runs this effect at most once in each window of time.
  ///
  /// A call that the window drops ends like an effect that a policy drops: its handle reports `dropped`. A call that
  /// waited for the window's end and gave way to a newer call is `cancelled`. Neither has completed, so that a sequence
  /// around it ends and is undone (law 25).
  ///
  /// - Parameters:
  ///   - duration: the length of the window that this effect begins; zero or less throttles nothing.
  ///   - id: calls under the same identifier share a window. Cancelling it cancels the running effect, the waiting
  ///     effect and the window. An effect that replaces the effects under it leaves the window. This effect runs under
  ///     the identifier, so `keepFirst` would drop an effect inside it with the same identifier: leave out the inner
  ///     identifier.
  ///   - edges: the calls of a window that run: the first at once, the last at its end, or both; by default both. A
  ///     call that runs at a window's end begins a new window of its own length. An empty set traps.
  public func throttle(
    for duration: Duration, id: some Hashable & Sendable, edges: ThrottleEdges = [.leading, .trailing],
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    trap(
      unless: !edges.isDisjoint(with: [.leading, .trailing]),
      "A throttle without an edge would never run its effect. Pass `.leading`, `.trailing` or both.")
    let (leading, trailing) = (edges.contains(.leading), edges.contains(.trailing))
    return enclosed(file, line) {
      .throttle(
        EffectID(id), duration.nanosecondsRoundedUp, leading: leading, trailing: trailing, body: $0)
    }
  }

  /// Cancels this effect if it has not settled before the time is up, and then runs another one.
  ///
  /// If no operation is running in this effect, the cleanup of a ``finally(_:file:line:)`` inside it comes before
  /// `otherwise`, up to its first wait; otherwise, the cleanup comes when the operations have returned.
  ///
  /// - Parameters:
  ///   - duration: the time from the beginning of the effect; zero or less runs `otherwise` at once.
  ///   - otherwise: the effect that begins right after the barrier, without waiting for the cancelled operations to
  ///     return.
  @inlinable
  public func timeout(
    _ duration: Duration, else otherwise: Self = .none, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .timeout(duration, asNode, else: otherwise.asNode, file, line)
  }

  @usableFromInline
  static func timeout(
    _ duration: Duration, _ body: consuming EffectNode, else otherwise: consuming EffectNode, _ file: StaticString,
    _ line: UInt
  ) -> Self {
    let mayOperate = body.mayOperate || otherwise.mayOperate
    let (span, enclosure) = (duration.nanosecondsRoundedUp, body.enclosure.enclosed(in: .timeout))
    return .node(
      .timeout(span, body: EffectProgram(node: body), otherwise: EffectProgram(node: otherwise)),
      mayOperate: mayOperate, enclosure: span > 0 ? enclosure : .none, file, line)
  }
}

extension Duration {
  /// Creates a duration from seconds, clamped to 9 billion seconds (285 years), which deadlines can represent.
  init(finiteSeconds seconds: Double) {
    trap(unless: seconds.isFinite, "A time in seconds must be finite, not \(seconds).")
    self = .seconds(min(max(seconds, -9_000_000_000), 9_000_000_000))
  }
}
