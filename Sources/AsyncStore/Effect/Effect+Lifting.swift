extension AsyncStore.Effect {
  /// Interprets an effect in another store, as part of this tree, which waits for it and is cancelled with it.
  ///
  /// Timers and streams that the effect starts there belong to the scope around this effect and are cancelled with it.
  /// Errors go to the other store's `mapError`; a ``recover(_:file:line:)`` or a retry around this effect does not see
  /// them. But an effect that does not finish there does not complete here: if it fails, is cancelled or dropped, or if
  /// the store is not active, a ``sequence(_:file:line:)`` around it ends and is undone, and a race that has to succeed
  /// continues until another entrant wins. Compensations inside the effect are not part of a sequence here: compensate
  /// the lift. If the other store is the one that interprets this effect, the lifted effect is simply interpreted.
  ///
  /// - Parameters:
  ///   - effect: the effect that the other store receives. Lifting ``none`` is ``none``, even into an inactive store.
  ///   - store: the other store, which the effect keeps alive. If it is inactive, nothing happens.
  public static func lift<OtherState, OtherEnv>(
    _ effect: AsyncStore<OtherState, OtherEnv>.Effect, to store: AsyncStore<OtherState, OtherEnv>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    if effect.isNone { return .none }
    return .node(AsyncStore.ClosureNode(lifting: effect.asNode, to: store, CallSite(file: file, line: line)))
  }
}
