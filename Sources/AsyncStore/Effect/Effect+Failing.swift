extension AsyncStore.Effect {
  /// Handles the errors of this effect's operations instead of the store's `mapError`.
  ///
  /// The effect that the handler returns takes the failed operation's place, and the effects around that operation
  /// continue: a timeout inside this effect also bounds the handler's effect, and an identifier there is kept until it
  /// has ended. To run it outside of those, recover from a ``sequence(_:file:line:)`` of the single effect, which the
  /// error leaves. Errors of the handler's effect go to the next handler outside this one. The `CancellationError` of a
  /// cancelled operation goes only to the store's `mapError`, whatever cancelled the operation, for example a
  /// ``timeout(_:else:file:line:)``. Any other error that a cancelled operation throws reaches this handler, unless
  /// this effect was itself cancelled.
  ///
  /// - Parameter handler: runs on the thread that brings the error: the thread of the operation or the stream or, for a
  ///   retry, a race or a sequence, the thread on which its last part ended. It does not run under the store's lock.
  public func recover(
    _ handler: @escaping @Sendable (any Error) -> Self, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    if isNone { return .none }
    let location = CallSite(file: file, line: line)
    let handler = AsyncStore.ClosureNode(.none, .recover(handler), location)
    return .node(
      .recover(body: asProgram, handler: EffectProgram(node: handler)), mayOperate: true, file, line)
  }

  /// Runs an effect after this one has settled, however it ended.
  ///
  /// If this effect is cancelled, `cleanup` begins once its operations have returned, in the nearest enclosing scope
  /// that has not been cancelled, and after the cleanup of any `finally` inside it. The identifiers of this effect are
  /// in flight until `cleanup` has settled. The effect that replaces this one, or a timeout's `else`, waits for
  /// `cleanup`'s prefix, up to its first wait, only if no operation of this effect was running at the cancel.
  ///
  /// Once it has begun, `cleanup` runs to its end. A cancel of the effects around it does not stop it; only
  /// ``AnyAsyncStore/deactivate()`` does, or a cancel of an identifier inside it. If it may hang, bound it with a
  /// ``timeout(_:else:file:line:)`` of its own. Its errors go to the nearest ``recover(_:file:line:)`` around this
  /// effect that has not been cancelled, or to the store's `mapError`, and never to a retry, a race or a sequence
  /// around it. After ``AnyAsyncStore/deactivate()``, `cleanup` does not run.
  @inlinable
  public func finally(_ cleanup: Self, file: StaticString = #fileID, line: UInt = #line) -> Self {
    cleanup.isNone ? self : .finally(asNode, cleanup.asNode, file, line)
  }

  @usableFromInline
  static func finally(
    _ body: consuming EffectNode, _ cleanup: consuming EffectNode, _ file: StaticString, _ line: UInt
  ) -> Self {
    let mayOperate = body.mayOperate || cleanup.mayOperate
    return .node(
      .finally(body: EffectProgram(node: body), cleanup: EffectProgram(node: cleanup)), mayOperate: mayOperate, file,
      line)
  }
}
