#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SeededRandom {
  /// Returns a version 4 identifier that is the same each time a simulation runs with the same seed.
  ///
  /// ```swift
  /// let first = try await simulate(seed: 7) { simulation in simulation.random.uuid() }
  /// let again = try await simulate(seed: 7) { simulation in simulation.random.uuid() }
  /// // first == again
  /// ```
  public func uuid() -> UUID {
    let (high, low) = (next(), next())
    func byte(_ number: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> (56 - 8 * index)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0f | 0x40, byte(high, 7), byte(low, 0) & 0x3f | 0x80, byte(low, 1), byte(low, 2),
        byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}

extension TestClock {
  /// The date: the simulation begins with the year 2001, UTC.
  public var date: Date { Date(timeIntervalSinceReferenceDate: now.offset / .seconds(1)) }
}
