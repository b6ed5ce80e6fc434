extension AsyncStore.Effect {
  /// Gives this effect an identifier, by which everything it does, to any depth, can be cancelled and awaited.
  ///
  /// - Parameters:
  ///   - id: any hashable value, or an ``EffectID`` with a path.
  ///   - policy: the rule for an identifier that is already in flight; by default the new effect replaces the old one.
  ///
  /// An effect that starts inside a scope, under the identifier of that scope, takes the scope's place. This is how a
  /// task restarts itself. With a queueing policy, the effect already has its place and begins at once.
  @inlinable
  public func id(
    _ id: some Hashable & Sendable, _ policy: IdentifierPolicy = .replace, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Self {
    .scope(EffectID(id), policy, asNode, file, line)
  }

  @usableFromInline
  static func scope(
    _ id: EffectID, _ policy: IdentifierPolicy, _ body: consuming EffectNode, _ file: StaticString, _ line: UInt
  ) -> Self {
    let mayOperate = body.mayOperate
    return .node(.scope(under: id, policy.scope, body: EffectProgram(node: body)), mayOperate: mayOperate, file, line)
  }

  /// Puts a label on this effect for people, shown in ``AnyAsyncStore/inFlight``, in instruments and in print.
  public func label(_ label: String, file: StaticString = #fileID, line: UInt = #line) -> Self {
    enclosed(file, line) { .label(body: $0, label) }
  }

  // MARK: Cancelling

  /// Cancels everything in flight under an identifier.
  ///
  /// This is a barrier: once the store has passed this effect, and so when the call that carried it returns, nothing
  /// under the identifier commits any more, even if an operation ignores its cancellation. Cancelling an unknown
  /// identifier does nothing. To cancel a single call of `receive`, use its ``EffectHandle/cancel()``.
  public static func cancel(
    _ id: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.cancel(.identifiers([EffectID(id)])), file, line)
  }

  /// Cancels everything in flight under any of several identifiers.
  public static func cancel(
    ids: some Sequence<some Hashable & Sendable>, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.cancel(.identifiers(ids.map { EffectID($0) })), file, line)
  }

  /// Cancels everything in flight under an identifier path or under any path that begins with it.
  ///
  /// - Complexity: linear in the number of identifiers in use and of cancelled effects.
  public static func cancel(
    prefix: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.cancel(.prefix(EffectID(prefix))), file, line)
  }

  /// Cancels everything in flight that has an identifier, including bindings.
  ///
  /// ``AnyAsyncStore/deactivate()`` also reaches effects without an identifier.
  ///
  /// - Complexity: linear in the number of identifiers in use and of cancelled effects.
  public static func cancelAll(file: StaticString = #fileID, line: UInt = #line) -> Self {
    .node(.cancel(.all), file, line)
  }

  // MARK: Joining

  /// Waits until nothing is in flight under the identifiers: running, waiting for its turn, or cleaning up.
  ///
  /// The effect does not wait for detached effects, timers and streams, nor for a scope that it is itself part of.
  /// Cancelling the identifiers lets the joiner continue; cancelling the joiner ends its wait and does not affect the
  /// effects that it waited for.
  ///
  /// Effects that wait for each other in a cycle, through joins or through joins and queues, would wait forever. A join
  /// that closes a cycle does not wait for the effects that close it. If a place in a queue closes the cycle, the join
  /// that keeps the place taken continues; if a cancel does, a join in a cleanup that began earlier continues. The
  /// cycle is reported to the store's instrument as ``InstrumentEvent/Kind/joinCycle(_:)`` or, without one, on the
  /// standard error stream. If a race on the cycle can still be won by another entrant, or a timeout is on it, the wait
  /// can end, so that there is no cycle.
  ///
  /// - Complexity: linear in the number of effects that wait for the scopes that contain this effect, and of effects
  ///   that contain those.
  public static func join(
    _ ids: any Hashable & Sendable..., file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.join(.identifiers(ids.map { EffectID($0) })), file, line)
  }

  /// Waits until nothing is in flight under the path or under any path that begins with it.
  ///
  /// The effect does not wait for effects that begin under the path later.
  ///
  /// - Complexity: linear in the number of identifiers in use.
  public static func join(
    prefix: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.join(.prefix(EffectID(prefix))), file, line)
  }
}
