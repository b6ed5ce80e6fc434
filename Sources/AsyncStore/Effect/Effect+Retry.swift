extension AsyncStore.Effect {
  /// Tries this effect again when one of its operations throws.
  ///
  /// An error ends the attempt: the rest of the attempt is cancelled and awaited. Then comes the schedule's delay, then
  /// the next attempt of the whole effect, including the effects that its operations returned. To try a single
  /// operation again, without its consequences, use ``task(retrying:seed:while:file:line:_:)``. When the schedule gives
  /// up, or the condition does not hold, the retry fails with the last error. The error of a stream leaves the retry at
  /// once, because the stream is not part of the attempt that began it.
  ///
  /// ```swift
  /// await store.run(
  ///   .task { .set(\.items, to: try await service.unreliableItems()) }
  ///     .retry(.constant(.zero).limitedTo(attempts: 3), while: { $0 is UserService.Unavailable }))
  /// // store.items == ["one", "two"]
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: the delays and the limits.
  ///   - seed: the seed of the schedule's jitter; by default a number from the store's own generator.
  ///   - isRetried: returns whether to try again after an error; by default after every error. Called once for each
  ///     failed attempt, when it has settled; not under the store's lock.
  ///
  /// **Cancellation** during an attempt or a delay ends the retry without a further attempt.
  ///
  /// Law 15.
  @inlinable
  public func retry(
    _ schedule: RetrySchedule, seed: UInt64? = nil, while isRetried: (@Sendable (any Error) -> Bool)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    isNone ? .none : .retry(asNode, schedule, seed, while: isRetried, file, line)
  }

  @usableFromInline
  static func retry(
    _ body: consuming EffectNode, _ schedule: consuming RetrySchedule, _ seed: UInt64?,
    while isRetried: (@Sendable (any Error) -> Bool)?, _ file: StaticString, _ line: UInt
  ) -> Self {
    let (mayOperate, enclosure) = (body.mayOperate, body.enclosure.enclosed(in: .retry))
    let plan = RetryPlan(schedule: schedule, seed: seed, isConditional: isRetried != nil)
    let instruction = Instruction.retry(plan, body: EffectProgram(node: body))
    guard let isRetried else { return .node(instruction, mayOperate: mayOperate, enclosure: enclosure, file, line) }
    return .node(instruction, .condition(isRetried), enclosure: enclosure, file, line)
  }

  /// Runs an asynchronous operation, retries it when it throws, and then, in its place, the effect that it returns.
  ///
  /// Only the operation is tried again. The effect that it returns is interpreted once, after the retry and outside it:
  /// errors of that effect lead to no further attempt.
  ///
  /// ```swift
  /// let schedule = RetrySchedule.constant(.zero).limitedTo(attempts: 5)
  /// await store.run(
  ///   .task(retrying: schedule) { attempt in
  ///     let items = try await service.unreliableItems()
  ///     return .concatenate(.set(\.items, to: items), .set(\.count, to: attempt.number))
  ///   })
  /// // store.count == 3
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: the delays and the limits.
  ///   - seed: the seed of the schedule's jitter; by default a number from the store's own generator.
  ///   - isRetried: returns whether to try again after an error; by default after every error. Called once for each
  ///     error; not under the store's lock.
  ///   - operation: takes the number of the attempt and the error of the previous one. Otherwise it runs like the
  ///     operation of ``task(_:file:line:)``. The last error goes to the nearest ``recover(_:file:line:)``, or else to
  ///     the store's `mapError`.
  ///
  /// **Cancellation** during an attempt works as for ``task(_:file:line:)``; an error that the cancelled operation then
  /// throws is not retried. During a delay, it ends the retry without a further attempt.
  ///
  /// Laws 4 and 15.
  public static func task(
    retrying schedule: RetrySchedule, seed: UInt64? = nil, while isRetried: (@Sendable (any Error) -> Bool)? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @Sendable (EffectAttempt) async throws -> Self
  ) -> Self {
    perform(retrying: schedule, seed: seed, while: isRetried, file: file, line: line) { _, attempt in
      try await operation(attempt)
    }
  }

  /// Runs an asynchronous operation on the store's environment, retries it when it throws, and then, in its place, runs
  /// the effect that it returns.
  ///
  /// - Parameters:
  ///   - schedule: the delays and the limits.
  ///   - seed: the seed of the schedule's jitter; by default a number from the store's own generator.
  ///   - isRetried: returns whether to try again after an error; by default after every error. Called once for each
  ///     error; not under the store's lock.
  ///   - operation: takes the store's `env` and the attempt. Otherwise it is retried like the operation of
  ///     ``task(retrying:seed:while:file:line:_:)``.
  public static func perform(
    retrying schedule: RetrySchedule, seed: UInt64? = nil, while isRetried: (@Sendable (any Error) -> Bool)? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @Sendable (Env, EffectAttempt) async throws -> Self
  ) -> Self {
    let plan = RetryPlan(schedule: schedule, seed: seed, isConditional: isRetried != nil)
    return .node(.attempts(plan), .attempts(operation, while: isRetried), file, line)
  }
}
