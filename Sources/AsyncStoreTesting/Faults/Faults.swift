import AsyncStore

/// Faults of an environment's operations, decided by the schedule of a simulation.
///
/// Create one with ``Simulation/faults(latency:failures:hangs:error:)``. Each fault of each operation is a choice of
/// the schedule: it is replayed with the schedule, and shrinking removes the faults that a failure does not need. In a
/// simulation without a seed, and under the fair schedule of ``Simulation/eventually(within:rounds:_:)``, operations
/// take the minimum time, and only faults of probability 1 happen.
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
/// The latency passes before the operation runs or fails. An operation that hangs returns when its task is cancelled,
/// and then throws `CancellationError`.
public struct Faults: Sendable {
  let clock: TestClock
  let latency: ClosedRange<Duration>
  let failures: Double
  let hangs: Double
  let error: @Sendable () -> any Error

  /// Returns an operation with these faults, which takes the same arguments.
  public func applied<each Argument: Sendable, Value: Sendable>(
    to operation: @escaping @Sendable (repeat each Argument) async throws -> Value
  ) -> @Sendable (repeat each Argument) async throws -> Value {
    { (argument: repeat each Argument) in
      try await strike()
      return try await operation(repeat each argument)
    }
  }

  /// Waits, throws or hangs as the schedule chooses; call it at the beginning of an operation.
  ///
  /// - Throws: the error of the faults; `CancellationError` if the task is cancelled.
  public func strike() async throws {
    // Always chosen, so that one fault doesn't change the choices of the others.
    let delay = clock.scheduler.chooseLatency(in: latency, among: clock.stores)
    let isHanging = clock.scheduler.choosesFault(hangs)
    let isFailing = clock.scheduler.choosesFault(failures)
    if isHanging { try await clock.hang() }
    if delay > .zero { try await clock.sleep(for: delay) }
    if isFailing { throw error() }
  }
}

/// The error of an operation that a simulation makes fail.
public struct InjectedFailure: Error, Hashable, Sendable {
  /// Creates the error of operations that fail on purpose.
  public init() {}
}

extension Simulation {
  /// Creates faults for the operations of an environment.
  ///
  /// Traps if a latency is negative, or a probability is not from 0 to 1.
  ///
  /// - Parameters:
  ///   - latency: the time that an operation takes, one of five values between the bounds, or the time until one of the
  ///     first three deadlines between them; by default zero.
  ///   - failures: the probability that an operation fails, from 0 to 1.
  ///   - hangs: the probability that an operation never returns by itself, from 0 to 1.
  ///   - error: the error that a failing operation throws; by default a ``InjectedFailure``.
  public func faults(
    latency: ClosedRange<Duration> = .zero ... .zero, failures: Double = 0, hangs: Double = 0,
    error: @escaping @Sendable () -> any Error = { InjectedFailure() }
  ) -> Faults {
    trap(unless: latency.lowerBound >= .zero, "A latency can't be negative, and this is \(latency.lowerBound).")
    for (name, value) in [("failures", failures), ("hangs", hangs)] {
      trap(unless: 0...1 ~= value, "A probability is from 0 to 1, and the probability of \(name) is \(value).")
    }
    return Faults(clock: clock, latency: latency, failures: failures, hangs: hangs, error: error)
  }
}
