/// What happens when an effect starts under an identifier that is in flight already.
///
/// A cancelled effect is in flight until its operations have returned and its clean-up, a `finally` or the effect of a
/// mapped error, has settled.
public struct IdentifierPolicy: Hashable, Sendable {
  let scope: ScopePolicy

  /// The old one is cancelled before the new one begins.
  ///
  /// Its clean-up comes first if no operation of the old one is running, else when they have returned.
  ///
  /// The default.
  public static let replace = IdentifierPolicy(scope: .replace)

  /// The old one is cancelled, and the new one begins once the old one's operations have returned and its clean-up has
  /// settled.
  ///
  /// A still newer one takes the place of one that waits.
  public static let replaceAfterCleanup = IdentifierPolicy(scope: .replaceAfterCleanup)

  /// The old one goes on and the new one is dropped, also where the old one has been cancelled and cleans up still.
  ///
  /// A timer or a stream that the old one has left running is the old one still.
  public static let keepFirst = IdentifierPolicy(scope: .keepFirst)

  /// One after the other, first in, first out; one that has been cancelled keeps its place until it has cleaned up.
  ///
  /// - Parameter capacity: how many may wait, zero or more; one that comes to a full queue is dropped. By default any
  ///   number.
  public static func queue(capacity: Int = .max) -> IdentifierPolicy { atMost(1, capacity: capacity) }

  /// Up to `count` at once; more wait for a place, first in, first out; one that has been cancelled keeps its place
  /// until it has cleaned up.
  ///
  /// - Parameters:
  ///   - count: 1 or more; less traps.
  ///   - capacity: how many may wait, zero or more; one that comes to a full queue is dropped. By default any number.
  public static func atMost(_ count: Int, capacity: Int = .max) -> IdentifierPolicy {
    trap(unless: count > 0, "at least 1 effect must be allowed at once, not \(count)")
    trap(unless: capacity >= 0, "a queue's capacity can't be \(capacity)")
    return IdentifierPolicy(scope: .queue(width: count, capacity: capacity))
  }
}

/// What a new value of a stream or a binding does to the effects of the values before it.
public struct StreamStrategy: Hashable, Sendable {
  let source: SourceStrategy

  /// Each value's effect begins at once, beside those before it.
  ///
  /// The default.
  public static let each = StreamStrategy(source: .each)

  /// A new value cancels what the last one started.
  public static let latest = StreamStrategy(source: .latest)

  /// A value's effect begins when that of the value before it has settled.
  ///
  /// - Parameter capacity: how many values may wait, 1 or more; past that the oldest is dropped for the newest, and the
  ///   instrument is told of it. By default any number.
  public static func serial(buffering capacity: Int = .max) -> StreamStrategy {
    trap(unless: capacity > 0, "a serial stream needs room for at least 1 value, not \(capacity)")
    return StreamStrategy(source: .serial(capacity: capacity))
  }

  /// ``serial(buffering:)`` with room for any number of values.
  public static let serial = serial()
}

/// Which of the effects of a race wins.
public struct RaceGoal: Hashable, Sendable {
  let toSucceed: Bool

  /// The first to settle without having been cancelled.
  ///
  /// Its errors go where errors go outside a race.
  public static let firstToSettle = RaceGoal(toSucceed: false)

  /// The first to settle without an error.
  ///
  /// If none does, the race fails with the last error.
  public static let firstToSucceed = RaceGoal(toSucceed: true)
}

/// Which of the calls within a throttle's window run.
public struct ThrottleEdges: OptionSet, Hashable, Sendable {
  /// The raw value of the set.
  public let rawValue: Int

  /// Creates a set from its raw value.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The first, at once.
  public static let leading = ThrottleEdges(rawValue: 1)
  /// The last, at the window's end.
  public static let trailing = ThrottleEdges(rawValue: 2)
}

/// One tick of a timer.
public struct TimerTick: Hashable, Sendable {
  /// The number of the tick, from 1.
  ///
  /// Overdue ticks come as one with the newest number.
  public let index: Int
  /// How many ticks before this one were overdue and are part of it.
  public let missed: Int
  /// When the tick was due, counted from the timer's start: `index` times the interval.
  public let elapsed: Duration

  init(_ tick: Tick) {
    index = Int(tick.index)
    missed = Int(tick.missed)
    elapsed = Duration(nanoseconds: tick.interval, times: tick.index)
  }
}
