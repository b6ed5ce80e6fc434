import Synchronization

/// A small generator of pseudo-random numbers that gives the same sequence for the same seed on every platform.
///
/// Use it for random choices that have to replay, such as a retry's jitter or seeded tests. It is not for secrets.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator that starts at `seed`.
  public init(seed: UInt64) { state = seed }

  /// Returns the next number of the sequence.
  public mutating func next() -> UInt64 {
    state &+= Self.increment
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a seed that differs from call to call and from process to process, without asking the system each time.
  @usableFromInline
  static func nextSeed() -> UInt64 {
    // The next step of one shared sequence; each call claims a step of its own.
    var generator = SplitMix64(seed: lastState.wrappingAdd(increment, ordering: .relaxed).oldValue)
    return generator.next()
  }

  private static let increment: UInt64 = 0x9e37_79b9_7f4a_7c15
  private static let lastState = Atomic<UInt64>(.random(in: 0 ... .max))
}
