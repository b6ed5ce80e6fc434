import AsyncStore

/// The clock of a host: the simulation's, with the host's ``ClockSkew``.
///
/// Give it to all code that sleeps or reads the time on the host. An instant of one host's clock is unrelated to
/// another's. The skew is for programs that compare instants of different hosts, or let one host wait for a duration
/// that another has measured.
///
/// ```swift
/// try await simulate { simulation in
///   let network = SimulatedNetwork<String>()
///   let host = network.host("slow", clock: ClockSkew(drift: -0.1))
///   try await host.clock.sleep(for: .seconds(9))
///   // simulation.clock.now.offset == .seconds(10)
/// }
/// ```
public struct HostClock: Clock, Sendable {
  /// A reading of the clock.
  public typealias Instant = TestClock.Instant

  let clock: TestClock
  /// The difference from the simulation's clock.
  public let skew: ClockSkew

  /// The reading of the host's clock.
  public var now: Instant { Instant(offset: skew.reading(at: clock.now.offset)) }

  /// One nanosecond, the resolution of stores.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until this clock has the reading, never less.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, as a host's tasks are when it crashes.
  public nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await clock.sleep(until: Instant(offset: skew.elapsed(at: deadline.offset)))
  }
}

extension HostClock: FiniteClock {
  @usableFromInline
  package var hasEnded: Bool { clock.hasEnded }

  @usableFromInline
  package var forStores: HostClock { HostClock(clock: clock.forStores, skew: skew) }
}

/// The time of a host's stores, counted from each store's creation.
final class HostTime: TimeSource {
  private let clock: HostClock
  private let origin: HostClock.Instant

  init(_ clock: HostClock) {
    self.clock = clock
    origin = clock.now
  }

  func now() -> Moment { Moment(nanoseconds: origin.duration(to: clock.now).nanosecondsRoundedDown) }

  var hasEnded: Bool { clock.hasEnded }

  var finiteClock: (any FiniteClock)? { clock }

  var reading: @Sendable () -> Moment { now }

  func sleep(until moment: Moment) async throws {
    try await clock.clock.scheduler.sleep(until: wake(moment), by: .own)
  }

  func sleep(until moment: Moment, _ ring: @Sendable () -> Moment?) async throws {
    var next: Moment? = moment
    while let moment = next {
      try await sleep(until: moment)
      next = ring()
    }
  }

  private func wake(_ moment: Moment) -> TestClock.Instant {
    let reading = origin.advanced(by: .nanoseconds(moment.nanoseconds))
    return TestClock.Instant(offset: clock.skew.elapsed(at: reading.offset))
  }
}
