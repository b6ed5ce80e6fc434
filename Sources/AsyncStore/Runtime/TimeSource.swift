/// The store's clock without its type: moments counted from the store's making.
///
/// One object and not two closures: each store has one.
///
/// `@unchecked` because the class is not final; it has nothing of its own.
@usableFromInline
class TimeSource: @unchecked Sendable {
  init() {}

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
