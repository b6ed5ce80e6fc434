import AsyncStore

/// The difference between a host's clock and the simulation's.
///
/// ```swift
/// let fast = ClockSkew(offset: .milliseconds(20), drift: 0.01)
/// // fast.reading(at: .seconds(100)) == .milliseconds(101_020)
/// ```
public struct ClockSkew: Hashable, Sendable {
  /// The reading of the host's clock at the beginning of the simulation; it may be negative.
  public let offset: Duration
  /// The gain of the host's clock: with 0.01 it advances 1.01 seconds per second, with -0.01 it advances 0.99.
  public var drift: Double { Double(rate - Self.unit) / Double(Self.unit) }
  /// The drift plus 1, in billionths, for exact arithmetic.
  private let rate: Int128

  private static let unit: Int128 = 1_000_000_000

  /// A clock without skew.
  public static let none = ClockSkew()

  /// Creates the skew of a host's clock.
  ///
  /// Traps if the drift is not more than -0.999_999_999 and at most 1.
  ///
  /// - Parameters:
  ///   - offset: the reading at the beginning of the simulation; by default zero.
  ///   - drift: the gain, to a billionth; by default 0. Quartz has at most 0.000_1, a virtual machine much more.
  public init(offset: Duration = .zero, drift: Double = 0) {
    trap(unless: drift > -0.999_999_999 && drift <= 1, "A clock's drift is more than -1 and at most 1, not \(drift).")
    self.offset = offset
    rate = Self.unit + Int128((drift * Double(Self.unit)).rounded())
  }

  /// Returns the reading of the host's clock at an elapsed time of the simulation.
  public func reading(at elapsed: Duration) -> Duration {
    if rate == Self.unit { return offset + elapsed }
    return offset + Duration(attoseconds: elapsed.attoseconds.scaledRoundingDown(by: rate, over: Self.unit))
  }

  /// Returns the first time at which the host's clock has a reading, never too early.
  func elapsed(at reading: Duration) -> Duration {
    let passed = reading - offset
    if rate == Self.unit { return passed }
    return Duration(attoseconds: -(-passed.attoseconds).scaledRoundingDown(by: Self.unit, over: rate))
  }
}

extension Int128 {
  /// Returns the product with a ratio, rounded down.
  ///
  /// A result near the limits of `Duration` stays far enough within them to add another one.
  ///
  /// - Parameters:
  ///   - numerator: more than zero, at most two billion.
  ///   - denominator: the same.
  fileprivate func scaledRoundingDown(by numerator: Int128, over denominator: Int128) -> Int128 {
    // Divided first, because the product overflows for a time of centuries.
    let (whole, rest) = quotientAndRemainderRoundingDown(dividingBy: denominator)
    let most = Int128.max / 4 / numerator
    return Swift.min(Swift.max(whole, -most), most) * numerator + rest * numerator / denominator
  }

  private func quotientAndRemainderRoundingDown(dividingBy divisor: Int128) -> (quotient: Int128, remainder: Int128) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
