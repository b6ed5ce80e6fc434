/// A store's clock without its type: moments counted from the store's making, or from that of the first store with this clock.
///
/// One object and not two closures. The stores that have the clock that is the default share one.
///
/// `@unchecked` because the class is not final; it has nothing of its own.
@usableFromInline
class TimeSource: @unchecked Sendable {
  init() {}

  @inlinable
  static func of<C: Clock>(_ clock: C) -> TimeSource where C.Duration == Duration {
    C.self == ContinuousClock.self ? continuous : ClockTime(clock)
  }

  @usableFromInline
  static let continuous: TimeSource = ClockTime(ContinuousClock())

  func now() -> Moment { preconditionFailure("abstract") }

  func sleep(until moment: Moment) async throws { preconditionFailure("abstract") }
}

/// `@unchecked` because its superclass is; its own part is constants of `Sendable` types.
@usableFromInline
final class ClockTime<C: Clock>: TimeSource, @unchecked Sendable where C.Duration == Duration {
  private let clock: C
  private let origin: C.Instant

  @usableFromInline
  init(_ clock: C) {
    self.clock = clock
    origin = clock.now
  }

  // Rounded down: a deadline is not reached before all of it has passed.
  override func now() -> Moment { Moment(nanoseconds: origin.duration(to: clock.now).nanosecondsRoundedDown) }

  override func sleep(until moment: Moment) async throws {
    try await clock.sleep(until: origin.advanced(by: .nanoseconds(moment.nanoseconds)), tolerance: nil)
  }
}
