import AsyncStore

/// The time of one of a simulation's own stores, counted from the store's creation.
///
/// Any store can have a ``TestClock``. These stores skip the clock protocol, which would take a tenth of the time of a
/// simulated day of ticks.
final class TestTime: TimeSource {
  private let scheduler: Scheduler
  private let origin: TestClock.Instant

  init(_ scheduler: Scheduler) {
    self.scheduler = scheduler
    origin = scheduler.now
  }

  func now() -> Moment { Moment(nanoseconds: origin.duration(to: scheduler.now).nanosecondsRoundedDown) }

  var hasEnded: Bool { scheduler.hasEnded }

  var reading: @Sendable () -> Moment { now }

  func sleep(until moment: Moment) async throws {
    try await scheduler.sleep(until: instant(moment), by: .own)
  }

  func sleep(until moment: Moment, _ ring: @Sendable () -> Moment?) async throws {
    var next: Moment? = moment
    while let moment = next {
      try await scheduler.sleep(until: instant(moment), by: .own)
      next = ring()
    }
  }

  private func instant(_ moment: Moment) -> TestClock.Instant {
    origin.advanced(by: .nanoseconds(moment.nanoseconds))
  }
}
