/// The wait of an effect in flight.
public struct EffectWait: Hashable, Sendable {
  /// The kind of a wait.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// For nothing: it is about to continue.
    case nothing
    /// For its operation to return.
    case operation
    /// For the effect that it has lifted into another store.
    case otherStore
    /// For the closure that maps its error, or that decides whether it is retried.
    case handler
    /// For a moment: a sleep, a back-off, or a timer's next tick.
    case deadline
    /// For the next value of a stream or a binding.
    case values
    /// For the effects inside it.
    case children
    /// For nothing of its own: it stays for timers, streams and bindings that it has started.
    case detached
    /// For a place under an identifier.
    case place
    /// For a cleanup: that of the effect it replaces, or its own after it was cancelled.
    case cleanup
    /// For the end of a throttle's window.
    case window
    /// For the end of everything in flight under identifiers.
    case join
    /// For a turn on the actor that commits happen on.
    case turn
  }

  /// The kind of the wait.
  public let reason: Reason
  /// The identifier under which the effect will begin, or the identifiers that it joins and that are still in flight.
  public let identifiers: [EffectID]
  /// The effect's position in line, from 1.
  public let position: Int?

  init(_ reason: Reason, _ identifiers: [EffectID] = [], position: Int? = nil) {
    (self.reason, self.identifiers, self.position) = (reason, identifiers, position)
  }
}
