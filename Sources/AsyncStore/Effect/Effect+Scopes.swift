extension AsyncStore.Effect {
  /// Names this effect, so that everything it does, to any depth, can be cancelled and waited for by that name.
  ///
  /// - Parameters:
  ///   - id: any hashable value, or an ``EffectID`` with a path.
  ///   - policy: the rule for a name that is in flight already; by default the new effect replaces the old one.
  ///
  /// An effect that starts inside a scope, under the name of that scope, takes the scope's place; this is how a task
  /// restarts itself. With a queueing policy it has its place already and begins at once.
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

  /// Puts a label on this effect, for people: in ``AnyAsyncStore/inFlight``, in instruments and in print.
  public func label(_ label: String, file: StaticString = #fileID, line: UInt = #line) -> Self {
    enclosed(file, line) { .label(body: $0, label) }
  }

  // MARK: Cancelling

  /// Cancels what is in flight under an identifier.
  ///
  /// A barrier: once the store has passed this effect, and so when the call that carried it returns, nothing under the
  /// identifier commits any more, even if an operation ignores its cancellation. Cancelling an unknown identifier does
  /// nothing. To cancel a single call of `receive`, use its ``EffectHandle/cancel()``.
  public static func cancel(
    _ id: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.cancel(.identifiers([EffectID(id)])), file, line)
  }

  /// Cancels what is in flight under any of several identifiers.
  public static func cancel(
    ids: some Sequence<some Hashable & Sendable>, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.cancel(.identifiers(ids.map { EffectID($0) })), file, line)
  }

  /// Cancels what is in flight under an identifier path or under any that begins with it.
  ///
  /// - Complexity: linear in the identifiers in use, and in what is cancelled.
  public static func cancel(
    prefix: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.cancel(.prefix(EffectID(prefix))), file, line)
  }

  /// Cancels everything that is in flight under an identifier, bindings too.
  ///
  /// ``AnyAsyncStore/deactivate()`` also reaches effects without an identifier.
  ///
  /// - Complexity: linear in the identifiers in use, and in what is cancelled.
  public static func cancelAll(file: StaticString = #fileID, line: UInt = #line) -> Self {
    .node(.cancel(.all), file, line)
  }

  // MARK: Joining

  /// Waits until nothing is in flight under the identifiers: running, waiting for its turn, or cleaning up.
  ///
  /// Detached effects, timers and streams, are not waited for, nor is a scope that this effect is itself part of.
  /// Cancelling the identifiers lets the joiner go on; cancelling the joiner ends its wait and touches nothing that it
  /// waited for.
  ///
  /// Effects that wait for each other in a cycle, by joins, or by joins and queues, would wait forever. A join that
  /// closes a cycle does not wait for the effects that close it. If a place in a queue closes the cycle, the join
  /// that keeps the place taken goes on; if a cancel does, a join in a cleanup that has begun before goes on. The
  /// cycle is reported to the store's instrument as ``InstrumentEvent/Kind/joinCycle(_:)``, or, without one, on the
  /// standard error stream. A race that another entrant can still win, or a timeout, on the cycle can end the wait, so
  /// that there is no cycle.
  ///
  /// - Complexity: linear in what waits for the scopes that this effect is part of, and in what these are part of.
  public static func join(
    _ ids: any Hashable & Sendable..., file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.join(.identifiers(ids.map { EffectID($0) })), file, line)
  }

  /// Waits until nothing is in flight under the path or under any that begins with it.
  ///
  /// Effects that begin under the path later are not waited for.
  ///
  /// - Complexity: linear in the identifiers in use.
  public static func join(
    prefix: some Hashable & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    .node(.join(.prefix(EffectID(prefix))), file, line)
  }
}
