/// Looks for a schedule under which a body fails.
struct Explorer: Sendable {
  var exploration: Exploration
  var time = Simulation.Time.automatic
  var jitter: Duration?
  var end = Simulation.End.nothingInFlight
  var limits = SimulationLimits()
  var site = ExplorationSite()
  var environment = ExplorationEnvironment.process
  /// The time limit for shrinking.
  var shrinkingTime = Duration.seconds(10)
  /// The clock that measures the time for shrinking.
  var now: TimeLimit.Now = { .now }

  typealias Body = @Sendable (Simulation) async throws -> Void

  /// Explores; an issue of an expectation is also reported at its place in the source.
  ///
  /// - Parameter lend: passes the body to the given closure, at once.
  func explore(_ lend: @Sendable ((@escaping Body) -> Void) throws -> Void) async throws -> ExplorationReport {
    let name = site.beginExploration()
    ReplayWatch.process?.note(name)
    let assignment = try self.assignment(name)
    let issues = IssueCollector()
    let outcome = Outcome<(finds: [ExplorationRun.Find], result: Result<ExplorationReport, any Error>)>()
    try await issues.collect {
      try lend { body in
        var run = ExplorationRun(
          runner(of: body, for: assignment, name, issues), name: name, site: site, shrinkingTime, now)
        run.perform(assignment, kept: KeptSchedules(site).all)
        outcome.set((run.finds, run.result))
      }
    }
    guard let (finds, result) = outcome.value else { preconditionFailure("an exploration ended without a result") }
    let issueSchedules = issues.isHeard ? [] : finds.filter { $0.trial.failure?.isIssue == true }.map(\.trial.schedule)
    if !issueSchedules.isEmpty {
      // Run again outside the collector, so that each issue is reported at its expectation.
      try lend { body in
        for schedule in issueSchedules { _ = runner(of: body, for: assignment, name, issues).run(schedule) }
      }
    }
    if environment.keepsSchedules {
      for (index, find) in finds.enumerated() {
        KeptSchedules(site).keep(find.trial.schedule)
        if let trace = find.trial.trace { KeptSchedules(site).keep(trace, number: index + 1) }
      }
    }
    return try result.get()
  }

  /// The schedules that an explorer tries.
  enum Assignment {
    case seeds(Int, first: UInt64, Exploration.Search)
    case all(limit: Int)
    case replay(Schedule)
  }

  private func assignment(_ name: String) throws -> Assignment {
    if !environment.mistakes.isEmpty {
      throw SimulationFailure(.divergence, environment.mistakes.joined(separator: "\n"), schedule: nil)
    }
    if let text = environment.schedule {
      let reference = try parse(text, of: "\(ExplorationEnvironment.scheduleVariable): ")
      if reference.exploration == nil || reference.exploration == name { return .replay(reference.schedule) }
    }
    switch exploration.kind {
    case .replay(let text): return .replay(try parse(text).schedule)
    case .seeds(let count, let first, let search):
      return .seeds(max(count, environment.seeds ?? 0), first: first, search)
    case .exhaustive(let limit): return .all(limit: limit)
    }
  }

  /// - Parameter source: the origin of the text, for the beginning of a message; may be empty.
  private func parse(_ text: String, of source: String = "") throws -> ScheduleReference {
    do {
      return try ScheduleReference(reading: text)
    } catch {
      let words =
        switch error {
        case .malformed: "This is neither a schedule nor a file with one"
        case .tooLong: "This schedule has more than \(Schedule.mostChoices) choices, too many to follow"
        }
      throw SimulationFailure(.divergence, "\(source)\(words): \(text.prefix(500))", schedule: nil)
    }
  }

  private func runner(
    of body: @escaping Body, for assignment: Assignment, _ name: String, _ issues: IssueCollector
  ) -> TrialRunner {
    let isLateUsual =
      switch assignment {
      case .seeds: true
      case .all: false
      case .replay(let schedule): schedule.choices.contains { $0.kind == .wake }
      }
    let usual = isLateUsual ? Duration.milliseconds(1) : .zero
    let options = Scheduler.Options(
      isAutomatic: time == .automatic, limits: limits, jitter: jitter ?? usual,
      recording: Recording(name: name, filter: site.filter))
    return TrialRunner(body: body, options: options, end: end, issues: issues)
  }
}
