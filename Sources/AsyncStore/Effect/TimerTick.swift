/// One tick of a timer.
public struct TimerTick: Hashable, Sendable {
  /// The number of the tick, from 1.
  ///
  /// Overdue ticks are merged into one with the newest number.
  public let index: Int
  /// The number of earlier overdue ticks merged into this one.
  public let missed: Int
  /// The time at which the tick was due, counted from the timer's start: `index` times the interval.
  public let elapsed: Duration

  init(_ tick: Tick) {
    index = Int(tick.index)
    missed = Int(tick.missed)
    elapsed = Duration(nanoseconds: tick.interval, times: tick.index)
  }
}
