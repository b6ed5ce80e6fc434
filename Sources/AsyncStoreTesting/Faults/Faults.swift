import AsyncStore

/// What goes wrong with the operations of an environment, as a simulation's seed decides.
///
/// ``Simulation/faults(latency:failures:hangs:error:)`` makes one.
///
/// ```swift
/// try await simulate(seed: 3) { simulation in
///   let faults = simulation.faults(latency: .milliseconds(10) ... .milliseconds(50), failures: 0.5)
///   let load = faults.applied { (name: String) in "Hello, \(name)" }
///   let greeting = try? await load("Ada")
///   // (greeting == nil || greeting == "Hello, Ada") == true
///   // (.milliseconds(10) ... .milliseconds(50)).contains(simulation.clock.now.offset) == true
/// }
/// ```
///
/// The latency passes before the operation runs or fails. One that hangs returns when its task is cancelled, and throws
/// `CancellationError` then.
public struct Faults: Sendable {
  let clock: TestClock
  let random: SeededRandom
  let latency: ClosedRange<Duration>
  let failures: Double
  let hangs: Double
  let error: @Sendable () -> any Error

  /// An operation with these faults, which takes the same arguments.
  public func applied<each Argument: Sendable, Value: Sendable>(
    to operation: @escaping @Sendable (repeat each Argument) async throws -> Value
  ) -> @Sendable (repeat each Argument) async throws -> Value {
    { (argument: repeat each Argument) in
      try await strike()
      return try await operation(repeat each argument)
    }
  }

  /// Takes time, fails or hangs, or does not: for an operation to begin with.
  ///
  /// - Throws: the error of the faults; `CancellationError` if the task is cancelled.
  public func strike() async throws {
    // Drawn in any case, so that one fault doesn't shift the others.
    let delay = random.next(in: latency)
    let isHanging = random.happens(hangs)
    let isFailing = random.happens(failures)
    if isHanging { try await clock.hang() }
    if delay > .zero { try await clock.sleep(for: delay) }
    if isFailing { throw error() }
  }
}

/// An operation failed because a simulation wanted it to.
public struct SimulatedFailure: Error, Hashable, Sendable {
  /// The error of operations that fail on purpose.
  public init() {}
}

extension Simulation {
  /// Creates faults for the operations of an environment.
  ///
  /// - Parameters:
  ///   - latency: how long an operation takes; by default no time.
  ///   - failures: how likely it fails, from 0 to 1.
  ///   - hangs: how likely it never returns by itself, from 0 to 1.
  ///   - error: what a failing operation throws; by default a ``SimulatedFailure``.
  public func faults(
    latency: ClosedRange<Duration> = .zero ... .zero, failures: Double = 0, hangs: Double = 0,
    error: @escaping @Sendable () -> any Error = { SimulatedFailure() }
  ) -> Faults {
    trap(unless: latency.lowerBound >= .zero, "An operation can't take less than no time.")
    return Faults(
      clock: clock, random: random, latency: latency, failures: failures, hangs: hangs, error: error)
  }
}
