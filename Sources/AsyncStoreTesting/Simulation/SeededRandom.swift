import AsyncStore
import Synchronization

/// Random numbers that are the same each time a simulation runs with the same seed.
///
/// Copies share one sequence, so that the generator can be given to an environment. It is for simulations and not for
/// secrets.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private final class Sequence: Sendable {
    let generator: Mutex<SplitMix64>
    init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }
  }

  private let sequence: Sequence

  init(seed: UInt64) { sequence = Sequence(seed: seed) }

  /// Returns the next number of the sequence.
  public func next() -> UInt64 { sequence.generator.withLock { $0.next() } }

  /// Returns a number in a range.
  public func next<Value: FixedWidthInteger>(in range: ClosedRange<Value>) -> Value {
    var copy = self
    return .random(in: range, using: &copy)
  }

  /// Returns a duration, in steps of a millisecond if the range is that wide, otherwise of a nanosecond.
  public func next(in range: ClosedRange<Duration>) -> Duration {
    let (lower, upper) = (range.lowerBound.attoseconds, range.upperBound.attoseconds)
    // The width may exceed the range of a duration.
    let width = UInt128(truncatingIfNeeded: upper &- lower)
    let (millisecond, nanosecond) = (1_000_000_000_000_000 as UInt128, 1_000_000_000 as UInt128)
    let step = width >= millisecond ? millisecond : nanosecond
    let count = width / step
    let chosen = Int64(exactly: count).map { UInt128(next(in: 0...$0)) } ?? next(in: 0...count)
    return Duration(attoseconds: lower &+ Int128(truncatingIfNeeded: chosen * step))
  }

  /// Returns true with this probability, from 0, never, to 1, always.
  public func happens(withProbability probability: Double) -> Bool {
    sequence.generator.withLock { $0.happens(withProbability: probability) }
  }
}
