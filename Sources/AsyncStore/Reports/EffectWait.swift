/// The wait of an effect in flight.
public struct EffectWait: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a wait.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// No wait: the effect is about to continue.
    case nothing
    /// A wait for the operation to return.
    case operation
    /// A wait for the effect that was lifted into another store.
    case otherStore
    /// A wait for the closure that maps the error, or that decides whether the effect is retried.
    case handler
    /// A wait for a moment: the end of a sleep, or a timer's next tick.
    case deadline
    /// A wait for a retry's next attempt.
    case backOff
    /// A wait for the next value of a stream or a binding.
    case values
    /// A wait for the effects inside.
    case children
    /// No wait of its own: the effect stays for timers, streams and bindings that it has started.
    case detached
    /// A wait for a place under an identifier.
    case place
    /// A wait for a cleanup: that of the replaced effect, or its own after a cancel.
    case cleanup
    /// A wait for the end of a throttle's window.
    case window
    /// A wait for the end of everything in flight under identifiers.
    case join
    /// A wait for a turn on the actor that commits happen on.
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

  /// The wait in a few words, such as `queued, 2nd under search`.
  public var description: String {
    var text = reason.words
    if let position { text += ", \(position.ordinal)" }
    if reason != .join, let identifier = identifiers.first { text += " under \(identifier)" }
    return text
  }
}

extension EffectWait.Reason {
  fileprivate var words: String {
    switch self {
    case .nothing: "ready"
    case .operation: "running"
    case .otherStore: "running in another store"
    case .handler: "handling an error"
    case .deadline: "sleeping"
    case .backOff: "backing off"
    case .values: "listening"
    case .children: "waiting for its children"
    case .detached: "stays for what it has started"
    case .place: "queued"
    case .cleanup: "waiting for a cleanup"
    case .window: "throttled"
    case .join: "joining"
    case .turn: "waiting for its actor"
    }
  }
}

extension Int {
  /// Formats an ordinal: 1st, 2nd, 3rd, 4th.
  fileprivate var ordinal: String {
    let isTeen = (11...13).contains(self % 100)
    let suffix = isTeen ? "th" : [1: "st", 2: "nd", 3: "rd"][self % 10] ?? "th"
    return "\(self)\(suffix)"
  }
}
