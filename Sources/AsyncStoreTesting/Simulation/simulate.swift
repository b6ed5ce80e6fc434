/// Runs a body in virtual time, deterministically, on the calling thread.
///
/// The body is the main task of the simulation. When it has ended, and everything that can still run without time
/// passing has run, nothing may be in flight. Works in Swift Testing and XCTest alike.
///
/// ```swift
/// let count = try await simulate { simulation in
///   let store = simulation.store(Counter(), env: service)
///   await store.run(.concatenate(.sleep(.seconds(3_600)), .set(\.count, to: 1)))
///   return store.count
/// }
/// // count == 1
/// ```
///
/// - Parameters:
///   - seed: determines which of several runnable jobs comes next, and seeds ``Simulation/random``. Without a seed,
///     jobs run in the order in which they became runnable.
///   - time: how time passes; by default by itself while the body waits.
///   - jitter: the maximum delay with which sleepers may wake, because a clock only promises not to wake them early. By
///     default they wake on time; below zero traps.
///   - end: what may be in flight at the end; by default nothing.
///   - limits: the limits after which to give up.
///   - body: the code to run. It is isolated like any `@Sendable` closure; actors that it calls are simulated too.
/// - Returns: the result of the body.
/// - Throws: the error of the body; ``SimulationFailure`` for a deadlock, a runaway, a starvation, a leak or an escape;
///   `CancellationError` if the task is cancelled, after the job that is running then.
@discardableResult
public func simulate<Value: Sendable>(
  seed: UInt64? = nil, time: Simulation.Time = .automatic, jitter: Duration = .zero,
  atEnd end: Simulation.End = .nothingInFlight, limits: SimulationLimits = SimulationLimits(),
  _ body: @escaping @Sendable (Simulation) async throws -> Value
) async throws -> Value {
  let options = Scheduler.Options(isAutomatic: time == .automatic, limits: limits, jitter: jitter)
  return try Simulation(seed: seed, options: options).run(atEnd: end, body).get()
}
