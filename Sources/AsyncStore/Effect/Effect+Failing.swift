extension AsyncStore.Effect {
  /// Handles the errors of this effect's operations in place of the store's `mapError`.
  ///
  /// The effect that the handler returns takes the failed operation's place, and what is around that operation goes on:
  /// a timeout inside of this effect bounds it too, and an identifier there is kept until it has ended. To have it
  /// outside of those, recover from a ``sequence(_:file:line:)`` of the single effect, which the error leaves.
  /// Its own errors go to the next handler outside of this one. The `CancellationError` of a cancelled operation goes
  /// to the store's `mapError` alone, whatever has cancelled it, a ``timeout(_:else:file:line:)`` for example. Any
  /// other error that a cancelled operation throws reaches this handler, unless this effect was itself cancelled.
  ///
  /// - Parameter handler: runs on the thread that brings the error: that of the operation or the stream or, for a
  ///   retry, a race or a sequence, the one on which its last part ended. It does not run under the store's lock.
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
  /// that has not been cancelled, and after the cleanup of a `finally` inside of it. Its identifiers are in flight
  /// until `cleanup` has settled. The effect that replaces this one, or a timeout's `else`, waits for `cleanup`'s
  /// prefix, up to its first wait, only if no operation of this effect was running at the cancel.
  ///
  /// Once it has begun, `cleanup` runs to its end. No cancel of what is around it stops it, only
  /// ``AnyAsyncStore/deactivate()``, or an identifier inside of it; if it may hang, bound it with a
  /// ``timeout(_:else:file:line:)`` of its own. Its errors go to the nearest ``recover(_:file:line:)`` around this
  /// effect that has not been cancelled, or to the store's `mapError`, and never to a retry, a race or a sequence
  /// around it. After ``AnyAsyncStore/deactivate()`` it does not run.
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
