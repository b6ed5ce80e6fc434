/// The store's clock without its type: moments counted from the store's making.
struct TimeSource: Sendable {
  let now: @Sendable () -> Moment
  let sleep: @Sendable (_ until: Moment) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    // Rounded down: a deadline is not reached before all of it has passed.
    now = { Moment(nanoseconds: origin.duration(to: clock.now).nanosecondsRoundedDown) }
    sleep = { moment in
      try await clock.sleep(until: origin.advanced(by: .nanoseconds(moment.nanoseconds)), tolerance: nil)
    }
  }
}
