import AsyncStore

/// The time of a simulation's own stores, counted from its beginning.
///
/// Any store can have a ``TestClock``. These have it without a clock's protocol in between, which in a day of ticks is a tenth of the time.
final class TestTime: TimeSource {
  private let scheduler: Scheduler

  init(_ scheduler: Scheduler) { self.scheduler = scheduler }

  func now() -> Moment { Moment(nanoseconds: scheduler.now.offset.nanosecondsRoundedDown) }

  var reading: @Sendable () -> Moment { now }

  func sleep(until moment: Moment) async throws {
    try await scheduler.sleep(until: Self.instant(moment), isAlarm: true)
  }

  func sleep(until moment: Moment, _ ring: @Sendable () -> Moment?) async throws {
    var next: Moment? = moment
    while let moment = next {
      try await scheduler.sleep(until: Self.instant(moment), isAlarm: true)
      next = ring()
    }
  }

  private static func instant(_ moment: Moment) -> TestClock.Instant {
    TestClock.Instant(offset: .nanoseconds(moment.nanoseconds))
  }
}
