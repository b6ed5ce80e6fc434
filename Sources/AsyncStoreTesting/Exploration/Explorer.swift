/// Looks for a schedule under which a body fails.
struct Explorer: Sendable {
  var exploration: Exploration
  var time = Simulation.Time.automatic
  var jitter: Duration?
  var end = Simulation.End.nothingInFlight
  var limits = SimulationLimits()
  var environment = ExplorationEnvironment.process
  /// How long it is looked for a simpler schedule.
  var shrinkingTime = Duration.seconds(10)

  typealias Body = @Sendable (Simulation) async throws -> Void

  /// Explores; a fault that is an expectation's also lands where that stands in the source.
  ///
  /// - Parameter lend: hands the body to the closure that it is given, at once.
  func explore(_ lend: @Sendable ((@escaping Body) -> Void) throws -> Void) async throws -> ExplorationReport {
    let task = try assignment()
    let issues = IssueCollector()
    let outcome = Outcome<Result<ExplorationReport, Find>>()
    try await issues.collect {
      try lend { body in outcome.set(search(runner(of: body, for: task, issues), task)) }
    }
    guard let result = outcome.value else { preconditionFailure("an exploration ended without a result") }
    if case .failure(let find) = result, find.trial?.fault?.isIssue == true, let schedule = find.trial?.schedule {
      // Once more, with nobody in between.
      try lend { body in _ = runner(of: body, for: task, issues).run(schedule) }
    }
    return try result.mapError(\.failure).get()
  }

  // MARK: What to do

  private enum Assignment {
    case seeds(Int, first: UInt64, Exploration.Search)
    case all(limit: Int)
    case replay(Schedule)
  }

  /// A failure, and the run in which it was found.
  private struct Find: Error {
    let failure: any Error
    var trial: Trial?
  }

  private func assignment() throws -> Assignment {
    if let schedule = environment.schedule { return .replay(try parse(schedule)) }
    switch exploration.kind {
    case .replay(let schedule): return .replay(try parse(schedule))
    case .seeds(let count, let first, let search):
      return .seeds(max(count, environment.seeds ?? 0), first: first, search)
    case .exhaustive(let limit): return .all(limit: limit)
    }
  }

  private func parse(_ text: String) throws -> Schedule {
    if let schedule = Schedule(text) { return schedule }
    throw SimulationFailure(.divergence, "This is no schedule: \(text)", schedule: nil)
  }

  private func runner(of body: @escaping Body, for assignment: Assignment, _ issues: IssueCollector) -> TrialRunner {
    let isLateUsual =
      switch assignment {
      case .seeds: true
      case .all: false
      case .replay(let schedule): schedule.choices.contains { $0.kind == .wake }
      }
    let usual = isLateUsual ? Duration.milliseconds(1) : .zero
    let options = Scheduler.Options(isAutomatic: time == .automatic, limits: limits, jitter: jitter ?? usual)
    return TrialRunner(body: body, options: options, end: end, issues: issues)
  }

  // MARK: Searching

  private func search(_ runner: TrialRunner, _ assignment: Assignment) -> Result<ExplorationReport, Find> {
    switch assignment {
    case .seeds(let count, let first, let search): searchSeeds(count, from: first, by: search, runner)
    case .all(let limit): searchAll(limit, runner)
    case .replay(let schedule): replay(schedule, runner)
    }
  }

  private func searchSeeds(
    _ count: Int, from first: UInt64, by search: Exploration.Search, _ runner: TrialRunner
  ) -> Result<ExplorationReport, Find> {
    var length = 0
    for index in 0..<count {
      if Task.isCancelled { return .failure(Find(failure: CancellationError())) }
      let seed = first &+ UInt64(index)
      let trial = runner.run(seed: seed, search.strategy(index, seed: seed, length: length))
      length = max(length, trial.schedule.count)
      if trial.fault != nil { return .failure(find(trial, number: index + 1, runner)) }
    }
    return .success(ExplorationReport(schedules: count, isExhaustive: false))
  }

  private func searchAll(_ limit: Int, _ runner: TrialRunner) -> Result<ExplorationReport, Find> {
    var tree = ScheduleTree()
    var count = 0
    while true {
      if Task.isCancelled { return .failure(Find(failure: CancellationError())) }
      count += 1
      let trial = runner.run(Schedule(seed: 0, choices: tree.prefix))
      if trial.fault != nil { return .failure(find(trial, number: count, runner)) }
      if let divergence = tree.divergence(of: trial.schedule) { return .failure(diverged(trial, divergence)) }
      guard tree.advance(past: trial.schedule) else { break }
      if count == limit { return .failure(Find(failure: SimulationFailure.limitReached(limit))) }
    }
    return .success(ExplorationReport(schedules: count, isExhaustive: true))
  }

  private func replay(_ schedule: Schedule, _ runner: TrialRunner) -> Result<ExplorationReport, Find> {
    let trial = runner.run(schedule, isNarrated: true)
    let divergence = schedule.divergence(of: trial.schedule)
    if trial.fault != nil {
      return .failure(
        Find(failure: SimulationFailure.failingSchedule(trial, "The schedule fails.", divergence), trial: trial))
    }
    if let divergence { return .failure(diverged(trial, divergence)) }
    return .success(ExplorationReport(schedules: 1, isExhaustive: false))
  }

  private func find(_ trial: Trial, number: Int, _ runner: TrialRunner) -> Find {
    var shrinker = Shrinker(trial, runner: runner, time: shrinkingTime)
    let shrunk = shrinker.shrink()
    let told = runner.run(shrunk.schedule, isNarrated: true)
    let (before, after) = (trial.schedule.switches, shrunk.schedule.switches)
    var headline = "Schedule number \(number) fails."
    if after < before { headline += " Shrunk from \(before) choices out of the ordinary to \(after)." }
    if shrinker.isInterrupted { headline += " There was no time to shrink it further." }
    // What the second run did counts only if it did the same.
    let same = told.fault?.identity == shrunk.fault?.identity ? told : shrunk
    let divergence = shrunk.schedule.divergence(of: told.schedule)
    return Find(failure: SimulationFailure.failingSchedule(same, headline, divergence), trial: same)
  }

  private func diverged(_ trial: Trial, _ divergence: String) -> Find {
    let message =
      "Divergence: the schedule can't be followed: \(divergence). The program has changed, was built differently, or depends on something that the simulation does not decide."
    return Find(failure: SimulationFailure(.divergence, message, schedule: trial.schedule), trial: trial)
  }
}

extension Exploration.Search {
  /// - Parameters:
  ///   - index: how many schedules came before it.
  ///   - length: the most choices that a schedule has had so far.
  fileprivate func strategy(_ index: Int, seed: UInt64, length: Int) -> any SchedulingStrategy {
    switch kind {
    case .random: RandomStrategy(seed: seed)
    case .priorities(let depth): PriorityStrategy(seed: seed, depth: depth, length: length)
    case .alternating:
      index % 2 == 0
        ? RandomStrategy(seed: seed) : PriorityStrategy(seed: seed, depth: index / 2 % 3 + 1, length: length)
    }
  }
}

extension SimulationFailure {
  fileprivate static func limitReached(_ limit: Int) -> SimulationFailure {
    let message =
      "There are more schedules than \(limit), all of which pass. Raise the limit, make the body smaller, or explore seeds."
    return SimulationFailure(.limitReached, message, schedule: nil)
  }

  fileprivate static func failingSchedule(_ trial: Trial, _ headline: String, _ divergence: String?)
    -> SimulationFailure
  {
    var lines = [headline]
    if let divergence { lines.append("It is not the same each time: \(divergence).") }
    if let fault = trial.fault { lines.append(fault.description) }
    if !trial.story.isEmpty { lines.append("What the stores did:\n  " + trial.story.joined(separator: "\n  ")) }
    lines.append(
      "Replay it: \(ExplorationEnvironment.scheduleVariable)='\(trial.schedule)' swift test --filter \(IssueCollector.testName ?? "…")"
    )
    return SimulationFailure(.failingSchedule, lines.joined(separator: "\n"), schedule: trial.schedule)
  }
}
