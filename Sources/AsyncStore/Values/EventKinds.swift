/// Kinds of events, for an instrument that wants only some of them.
public struct EventKinds: OptionSet, Sendable {
  /// The kinds as bits.
  public let rawValue: UInt32

  /// Creates kinds from their bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// All events.
  public static let all = EventKinds(rawValue: .max)
  /// Effects that take time have begun.
  public static let begun = EventKinds(rawValue: 1 << 0)
  /// Effects that take time have ended.
  public static let settled = EventKinds(rawValue: 1 << 1)
  /// Changes of the state.
  public static let committed = EventKinds(rawValue: 1 << 2)
  /// Operations and streams have been asked to end.
  public static let cancelled = EventKinds(rawValue: 1 << 3)
  /// Errors have reached the store's `mapError`, or no handler.
  public static let failed = EventKinds(rawValue: 1 << 4)
  /// Attempts of retries have begun.
  public static let attempted = EventKinds(rawValue: 1 << 5)
  /// Attempts have failed, and others follow.
  public static let backedOff = EventKinds(rawValue: 1 << 6)
  /// Retries are over.
  public static let attemptsEnded = EventKinds(rawValue: 1 << 7)
  /// Waits have begun.
  public static let waiting = EventKinds(rawValue: 1 << 8)
  /// Waits are over.
  public static let waited = EventKinds(rawValue: 1 << 9)
  /// Time limits have expired.
  public static let timedOut = EventKinds(rawValue: 1 << 10)
  /// Timers have ticked.
  public static let ticked = EventKinds(rawValue: 1 << 11)
  /// Effects were dropped, and never began.
  public static let dropped = EventKinds(rawValue: 1 << 12)
  /// Effects were received by a store that was not active.
  public static let ignored = EventKinds(rawValue: 1 << 13)
  /// Bindings did not settle.
  public static let unsettledBindings = EventKinds(rawValue: 1 << 14)
  /// Joins stood in a cycle.
  public static let joinCycle = EventKinds(rawValue: 1 << 15)
  /// Errors have reached a `recover`.
  public static let recovered = EventKinds(rawValue: 1 << 16)
  /// Effects have been lifted into the store.
  public static let lifted = EventKinds(rawValue: 1 << 17)
}
