/// A clock's time.
///
/// Stores with the default clock share one origin; any other store has its own.
@usableFromInline
final class ClockTime<C: Clock>: TimeSource where C.Duration == Duration {
  private let clock: C
  private let origin: C.Instant

  @usableFromInline
  init(_ clock: C) {
    self.clock = (clock as? any FiniteClock)?.forStores as? C ?? clock
    origin = clock.now
  }

  // Rounded down, so that a deadline is not reached early.
  @usableFromInline
  func now() -> Moment { Moment(nanoseconds: origin.duration(to: clock.now).nanosecondsRoundedDown) }

  @usableFromInline
  var reading: @Sendable () -> Moment { now }

  @usableFromInline
  var hasEnded: Bool { finiteClock?.hasEnded ?? false }

  @usableFromInline
  var finiteClock: (any FiniteClock)? { clock as? any FiniteClock }

  @usableFromInline
  func sleep(until moment: Moment) async throws { try await clock.sleep(until: instant(moment), tolerance: nil) }

  @usableFromInline
  func sleep(until moment: Moment, _ ring: @Sendable () -> Moment?) async throws {
    var next: Moment? = moment
    while let moment = next {
      try await clock.sleep(until: instant(moment), tolerance: nil)
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      next = ring()
    }
  }

  private func instant(_ moment: Moment) -> C.Instant { origin.advanced(by: .nanoseconds(moment.nanoseconds)) }
}

extension ContinuousClock {
  /// The time of all stores that use this clock.
  @usableFromInline
  static let time: any TimeSource = ClockTime(ContinuousClock())
}

extension Clock where Duration == Swift.Duration {
  @inlinable
  var timeSource: any TimeSource { Self.self == ContinuousClock.self ? ContinuousClock.time : ClockTime(self) }
}
