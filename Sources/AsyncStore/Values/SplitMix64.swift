import Synchronization

/// A small generator of pseudo-random numbers that gives the same sequence for the same seed on every platform.
///
/// Use it where random choices have to replay: jitter of a retry, seeded tests. It is not for secrets.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator that starts at `seed`.
  public init(seed: UInt64) { state = seed }

  /// Returns the next number of the sequence.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a seed that differs from call to call and from process to process, without asking the system each time.
  @usableFromInline
  static func nextSeed() -> UInt64 { seeds.withLock { $0.next() } }

  private static let seeds = Mutex(SplitMix64(seed: .random(in: 0 ... .max)))
}
