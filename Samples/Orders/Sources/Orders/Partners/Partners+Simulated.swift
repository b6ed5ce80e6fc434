import AsyncStore
import Synchronization

/// The behaviour of simulated partners.
struct PartnerBehavior: Sendable {
  /// The time that a call takes.
  var latency: ClosedRange<Duration> = .milliseconds(5) ... .milliseconds(60)
  /// The probability that a call fails for now.
  var faults = 0.08
  /// The probability that a call never returns by itself.
  var hangs = 0.01
  /// The probability that a partner says no to an order.
  var refusals = 0.04

  /// Partners that answer at once, and always yes.
  static let instant = PartnerBehavior(latency: .zero ... .zero, faults: 0, hangs: 0, refusals: 0)
}

extension Partners {
  /// Returns partners that take time and fail, as the world does.
  static func simulated(
    _ behavior: PartnerBehavior, clock: some Clock<Duration> = ContinuousClock(), seed: UInt64 = 1
  ) -> Partners {
    let generator = SharedGenerator(seed: seed)
    return Partners { call, order in
      let partner = call.partner
      if generator.happens(withProbability: behavior.hangs) { try await clock.sleep(for: .seconds(3_600)) }
      let latency = generator.duration(in: behavior.latency)
      if latency > .zero { try await clock.sleep(for: latency) }
      if generator.happens(withProbability: behavior.faults) { throw PartnerError.unavailable(partner) }
      // Partners refuse new requests only; they always take back what they have done.
      if !call.isUndo, generator.happens(withProbability: behavior.refusals) { throw PartnerError.refused(partner) }
    }
  }
}

/// Random numbers for calls on many threads.
private final class SharedGenerator: Sendable {
  private let generator: Mutex<SplitMix64>

  init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

  func happens(withProbability probability: Double) -> Bool {
    guard probability > 0 else { return false }
    return generator.withLock { Double.random(in: 0..<1, using: &$0) } < probability
  }

  func duration(in range: ClosedRange<Duration>) -> Duration {
    guard range.lowerBound < range.upperBound else { return range.lowerBound }
    let part = generator.withLock { Double.random(in: 0...1, using: &$0) }
    return range.lowerBound + (range.upperBound - range.lowerBound) * part
  }
}
