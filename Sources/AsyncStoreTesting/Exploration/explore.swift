/// Runs a body under many schedules, and reports the simplest schedule found under which the body fails.
///
/// The body fails if it throws, if a `#expect` or `#require` in it fails, or if
/// ``simulate(seed:time:jitter:atEnd:limits:_:)`` would throw. A failing schedule is shrunk to as few non-default
/// choices as possible, and printed as a string that replays it. Up to four other failures found within one second
/// after the first are reported with it.
///
/// With the environment variable `ASYNCSTORE_KEEP=1`, failing schedules are kept in a file beside the test's. A test
/// tries its kept schedules before any others, whether the variable is set or not.
///
/// In XCTest, a failing assertion is reported at once, and so is an expectation of Swift Testing in a detached task.
/// The exploration then ends without shrinking; on Apple's platforms, it doesn't see the assertion at all. Let the body
/// throw instead.
///
/// ```swift
/// let report = try await explore(.exhaustive()) { simulation in
///   let store = simulation.store(Counter(), env: service)
///   await store.run(.merge(.task { .set { $0.count += 1 } }, .task { .set { $0.count += 1 } }))
///   #expect(store.count == 2)
/// }
/// // report.description == "all 2 schedules pass"
/// ```
///
/// - Parameters:
///   - exploration: the schedules to try; by default those of a thousand seeds.
///   - time: how time passes; by default, it advances while the body waits.
///   - jitter: the maximum delay with which sleepers may wake; by default a millisecond, and zero in an exhaustive
///     exploration.
///   - end: what may be in flight at the end; by default nothing.
///   - limits: the limits after which to give up on one schedule.
///   - filePath: the file of the call; leave this and the next two to the compiler.
///   - line: the line of the call.
///   - function: the function of the call.
///   - body: the code to run, once for each schedule. It must depend only on the simulation.
/// - Returns: a report of the schedules that were tried, all of which passed.
/// - Throws: ``SimulationFailure`` with the code `failingSchedule`, `divergence` or `limitReached`; `CancellationError`
///   if the task is cancelled, after the job that is running then.
@discardableResult
public func explore(
  _ exploration: Exploration = .seeds(1_000), time: Simulation.Time = .automatic, jitter: Duration? = nil,
  atEnd end: Simulation.End = .nothingInFlight, limits: SimulationLimits = SimulationLimits(),
  filePath: StaticString = #filePath, line: UInt = #line, function: StaticString = #function,
  _ body: @escaping @Sendable (Simulation) async throws -> Void
) async throws -> ExplorationReport {
  let site = ExplorationSite(filePath: "\(filePath)", line: Int(line), function: "\(function)")
  let explorer = Explorer(exploration: exploration, time: time, jitter: jitter, end: end, limits: limits, site: site)
  return try await explorer.explore { run in run(body) }
}
