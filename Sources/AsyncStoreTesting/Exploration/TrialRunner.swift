/// Runs one body repeatedly, each time under another schedule.
struct TrialRunner {
  let body: @Sendable (Simulation) async throws -> Void
  var options: Scheduler.Options
  let end: Simulation.End
  let issues: IssueCollector

  func run(seed: UInt64, _ strategy: any SchedulingStrategy, isNarrated: Bool = false) -> Trial {
    let eventLog = isNarrated ? EventLog() : nil
    var options = options
    options.findsOrigins = isNarrated
    options.trace = eventLog?.trace
    let simulation = Simulation(seed: seed, strategy: strategy, options: options, eventLog: eventLog)
    let (result, issues) = issues.collect(from: simulation.scheduler) { simulation.run(atEnd: end, body) }
    var failure = Trial.Failure(issues: issues)
    // The issue of a failed expectation says more than the error, which lacks the place and all the values.
    if case .failure(let error) = result, failure == nil || !IssueCollector.isFailedExpectation(error) {
      failure = Trial.Failure(error)
    }
    var isCutShort = false
    if case .failure(is CutShort) = result { isCutShort = true }
    return Trial(
      schedule: simulation.schedule, failure: failure, eventLog: eventLog?.lines ?? [], trace: eventLog?.trace,
      isCutShort: isCutShort)
  }

  /// Runs a schedule, or the nearest possible one.
  func run(_ schedule: Schedule, isNarrated: Bool = false) -> Trial {
    run(seed: schedule.seed, ReplayStrategy(schedule.choices), isNarrated: isNarrated)
  }
}
