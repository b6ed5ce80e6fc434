/// The rule for an effect that starts under an identifier that is already in flight.
///
/// A cancelled effect is in flight until its operations have returned and its cleanup, a `finally` or the effect of a
/// mapped error, has settled.
public struct IdentifierPolicy: Hashable, Sendable {
  let scope: ScopePolicy

  /// Cancels the old effect before the new one begins.
  ///
  /// If no operation of the old effect is running, its cleanup comes before the new effect; otherwise, the cleanup
  /// comes when the operations have returned.
  ///
  /// The default.
  public static let replace = IdentifierPolicy(scope: .replace)

  /// Cancels the old effect, and begins the new one once the old effect's operations have returned and its cleanup has
  /// settled.
  ///
  /// A newer effect takes the place of an effect that is still waiting.
  public static let replaceAfterCleanup = IdentifierPolicy(scope: .replaceAfterCleanup)

  /// Drops the new effect and lets the old one continue, even if the old one has been cancelled and is still cleaning
  /// up.
  ///
  /// A timer or a stream that the old effect has left running counts as the old effect.
  public static let keepFirst = IdentifierPolicy(scope: .keepFirst)

  /// Runs effects one after the other, first in, first out.
  ///
  /// A cancelled effect keeps its place until it has cleaned up.
  ///
  /// - Parameter capacity: the maximum number of effects that may wait, at least 0, otherwise traps. An effect that
  ///   finds the queue full is dropped. Unlimited by default.
  public static func queue(capacity: Int = .max) -> IdentifierPolicy { atMost(1, capacity: capacity) }

  /// Runs up to `count` effects at once; further effects wait for a place, first in, first out.
  ///
  /// A cancelled effect keeps its place until it has cleaned up.
  ///
  /// - Parameters:
  ///   - count: the maximum number of effects at once, at least 1, otherwise traps.
  ///   - capacity: the maximum number of effects that may wait, at least 0, otherwise traps. An effect that finds the
  ///     queue full is dropped. Unlimited by default.
  public static func atMost(_ count: Int, capacity: Int = .max) -> IdentifierPolicy {
    trap(unless: count > 0, "The number of effects at once must be at least 1, not \(count).")
    trap(unless: capacity >= 0, "A queue's capacity must be at least 0, not \(capacity).")
    return IdentifierPolicy(scope: .queue(width: count, capacity: capacity))
  }
}

/// The rule for the effects of earlier values when a stream or a binding has a new value.
public struct StreamStrategy: Hashable, Sendable {
  let source: SourceStrategy

  /// Each value's effect begins at once, beside the effects of earlier values.
  ///
  /// The default.
  public static let each = StreamStrategy(source: .each)

  /// A new value cancels everything that the previous value started.
  public static let latest = StreamStrategy(source: .latest)

  /// A value's effect begins when the effect of the previous value has settled.
  ///
  /// - Parameter capacity: the maximum number of values that may wait, at least 1, otherwise traps. When it is
  ///   exceeded, the oldest value is dropped for the newest, and the instrument receives the event. Unlimited by
  ///   default.
  public static func serial(capacity: Int = .max) -> StreamStrategy {
    trap(unless: capacity > 0, "A serial stream's buffer must hold at least 1 value, not \(capacity).")
    return StreamStrategy(source: .serial(capacity: capacity))
  }

  /// ``serial(capacity:)`` with room for any number of values.
  public static let serial = serial()
}

/// The rule that decides which effect of a race wins.
public struct RaceGoal: Hashable, Sendable {
  let toSucceed: Bool

  /// The first effect to settle without having been cancelled by its own outermost identifier.
  ///
  /// The effect wins even if a part of it was cancelled, for example by an identifier inside it, or if it is a sequence
  /// that was undone. So does an effect that settles at once because no part of it runs: a timer, an effect that a
  /// policy drops, a lift into a store that is not active. The errors of an effect go where errors go outside a race.
  public static let firstToSettle = RaceGoal(toSucceed: false)

  /// The first effect to settle that has completed: it has neither failed nor been cancelled, its last effect was not
  /// cancelled by an identifier or dropped by a policy, and a lift has finished in the other store.
  ///
  /// If none does, the race fails with the last error. If there was no error here, because all entrants were cancelled,
  /// dropped, or failed in other stores, the race has not completed: a ``AsyncStore/Effect/sequence(_:file:line:)``
  /// around it ends.
  public static let firstToSucceed = RaceGoal(toSucceed: true)
}

/// The calls within a throttle's window that run.
public struct ThrottleEdges: OptionSet, Hashable, Sendable {
  /// The raw value of the set.
  public let rawValue: Int

  /// Creates a set from its raw value.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The first call, at once.
  public static let leading = ThrottleEdges(rawValue: 1)
  /// The last call, at the window's end.
  public static let trailing = ThrottleEdges(rawValue: 2)
}
