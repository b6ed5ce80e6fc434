/// The store's clock without its type: moments counted from the store's making.
struct TimeSource: Sendable {
  let now: @Sendable () -> Moment
  let sleep: @Sendable (_ until: Moment) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    now = { Moment(nanoseconds: origin.duration(to: clock.now).nanosecondsRoundedDown) }
    sleep = { moment in
      try await clock.sleep(until: origin.advanced(by: .nanoseconds(moment.nanoseconds)), tolerance: nil)
    }
  }
}

extension Duration {
  /// Of what the clock says: a deadline is not reached before all of it has passed.
  fileprivate var nanosecondsRoundedDown: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
