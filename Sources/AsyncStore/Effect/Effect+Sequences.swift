extension AsyncStore.Effect {
  /// Runs effects one after the other, ends at the first that fails or is cancelled, and fails with it.
  ///
  /// Use it if a step only makes sense after the previous steps have succeeded; ``concatenate(_:file:line:)`` continues
  /// after a failure. Declare with ``compensate(with:file:line:)`` what undoes a step: the completed steps are undone,
  /// the last one first.
  ///
  /// ```swift
  /// await store.run(
  ///   .sequence(
  ///     .append("reserved", to: \.items).compensate(with: .append("released", to: \.items)),
  ///     .task { try await service.fail(); return .none },
  ///     .append("shipped", to: \.items)
  ///   ).recover { _ in .none })
  /// // store.items == ["reserved", "released"]
  /// ```
  ///
  /// An error that no ``recover(_:file:line:)`` inside a member handles fails the member, and with it the sequence: the
  /// rest of the member is cancelled, its operations return, the compensations run, and then the error goes where
  /// errors go outside the sequence. The effect that its handler returns takes the place of the whole sequence. So a
  /// ``retry(_:seed:while:file:line:)`` around a sequence begins an attempt only when the previous attempt has been
  /// undone.
  ///
  /// A member whose last effect is cancelled by its identifier, or dropped by a policy, has not completed. It ends the
  /// sequence too, without an error: the sequence counts as cancelled for a sequence around it and, if it is a whole
  /// tree, so does the tree. An effect that is cancelled inside a ``merge(_:file:line:)`` ends nothing.
  ///
  /// **Cancellation.** Compensations of a cancelled sequence run like a ``finally(_:file:line:)``: once the operations
  /// have returned, in the nearest enclosing scope that is not cancelled, and not after ``AnyAsyncStore/deactivate()``.
  ///
  /// Law 25.
  ///
  /// - Parameter effects: any number; an empty list is ``none``.
  @inlinable
  public static func sequence(_ effects: Self..., file: StaticString = #fileID, line: UInt = #line) -> Self {
    effects.withUnsafeBufferPointer { sequence(AsyncStore.ListContents($0), file, line) }
  }

  /// Runs the effects of a list one after the other, ends at the first that fails or is cancelled, and fails with it.
  ///
  /// - Parameter effects: any number; an empty list is ``none``.
  /// - Complexity: constant for each member and for each recorded compensation.
  @inlinable
  public static func sequence(
    effects: consuming some Sequence<Self>, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    var list = Array(effects)
    return sequence(AsyncStore.ListContents(moving: &list), file, line)
  }

  @inlinable
  static func sequence(_ members: AsyncStore.ListContents, _ file: StaticString, _ line: UInt) -> Self {
    sequence(AsyncStore.ListNode(members, CallSite(file: file, line: line)), file, line)
  }

  @usableFromInline
  static func sequence(_ list: EffectNode, _ file: StaticString, _ line: UInt) -> Self {
    if list.count == 0 { return .none }
    return .node(.sequence(EffectProgram(node: list)), mayOperate: list.mayOperate, file, line)
  }

  /// Declares what undoes this effect if a ``sequence(_:file:line:)`` around it fails or is cancelled after it has
  /// completed.
  ///
  /// The compensation is recorded with the nearest enclosing sequence when this effect has completed, and again each
  /// time it completes. It is not recorded if an error has left this effect, whatever handled the error, if the effect
  /// was cancelled, or if a policy dropped it. Errors of cleanups and of cancelled operations don't count. The
  /// compensations of a completed inner sequence move to the outer sequence, in order. Outside any sequence, and in
  /// effects that a timer or a stream starts, there is nothing to undo, and `compensation` never runs.
  ///
  /// A compensation runs once. Its errors go to the nearest ``recover(_:file:line:)`` around the sequence, or else to
  /// the store's `mapError`. The other compensations still run, even if one is cancelled by an identifier of its own.
  /// Once compensations have begun, a cancel of the effects around the sequence does not stop them; only
  /// ``AnyAsyncStore/deactivate()`` does.
  ///
  /// - Parameter compensation: begins when all later members have been undone.
  @inlinable
  public func compensate(with compensation: Self, file: StaticString = #fileID, line: UInt = #line) -> Self {
    compensation.isNone ? self : .compensate(asNode, with: compensation.asNode, file, line)
  }

  @usableFromInline
  static func compensate(
    _ body: consuming EffectNode, with undo: consuming EffectNode, _ file: StaticString, _ line: UInt
  ) -> Self {
    let (mayOperate, enclosure) = (body.mayOperate || undo.mayOperate, body.enclosure.enclosed(in: .compensation))
    return .node(
      .compensate(body: EffectProgram(node: body), with: EffectProgram(node: undo)), mayOperate: mayOperate,
      enclosure: enclosure, file, line)
  }
}
