/// One exploration's run through its schedules, and its findings.
struct ExplorationRun: Sendable {
  /// A schedule that fails; the first one with its failure.
  struct Find: Sendable {
    var trial: Trial
    let headline: String
    /// The first difference between two runs of the schedule.
    var divergence: String?
    /// A sentence about the second run, if it did not fail in the same way.
    var otherOutcome: String?
  }

  private let runner: TrialRunner
  private let replay: @Sendable (Schedule) -> String
  private let shrinkingTime: Duration
  private let now: TimeLimit.Now
  private(set) var finds: [Find] = []
  private var coverage = Coverage()
  private var count = 0
  /// The time for finding further failures, once there is one.
  private var timeForOthers: TimeLimit?
  private var isExhaustive = false
  /// The reason why the exploration ended without a find.
  private var failure: SimulationFailure?
  private var isCancelled = false

  private static let maximumFinds = 5

  init(
    _ runner: TrialRunner, name: String, site: ExplorationSite, _ shrinkingTime: Duration,
    _ now: @escaping TimeLimit.Now
  ) {
    self.runner = runner
    self.shrinkingTime = shrinkingTime
    self.now = now
    replay = { ReplayLine(schedule: $0, exploration: name, filter: site.filter).description }
  }

  var result: Result<ExplorationReport, any Error> {
    if let first = finds.first { return .failure(report(first)) }
    if isCancelled { return .failure(CancellationError()) }
    if let failure { return .failure(failure) }
    return .success(
      ExplorationReport(
        scheduleCount: count, isExhaustive: isExhaustive, distinctScheduleCount: coverage.distinct,
        newScheduleCount: coverage.newOnes))
  }

  /// - Parameter kept: schedules to try before any others, unless a schedule is replayed.
  mutating func perform(_ assignment: Explorer.Assignment, kept: [Schedule]) {
    if case .replay(let schedule) = assignment { return replay(schedule) }
    for schedule in kept {
      guard hasSchedulesLeft else { break }
      count += 1
      let trial = runner.run(schedule)
      note(trial, "A schedule that was kept fails.")
    }
    switch assignment {
    case .seeds(let count, let first, let search): trySeeds(count, from: first, by: search)
    case .all(let limit): tryAll(limit)
    case .replay: break
    }
    let limit = TimeLimit(shrinkingTime, now: now)
    for index in finds.indices where !runner.issues.isHeard { shrink(&finds[index], within: limit) }
  }

  // MARK: Trying

  private mutating func trySeeds(_ seeds: Int, from first: UInt64, by search: Exploration.Search) {
    var length = 0
    for index in 0..<seeds {
      guard hasSchedulesLeft else { break }
      let seed = first &+ UInt64(index)
      let trial = runner.run(seed: seed, search.strategy(index, seed: seed, length: length))
      // Priorities change at choices among jobs.
      length = max(length, trial.schedule.choices.count { $0.kind == .job })
      count += 1
      note(trial, "Schedule number \(count) fails.")
    }
  }

  private mutating func tryAll(_ limit: Int) {
    // The kept schedules are included in these.
    (count, coverage) = (0, Coverage())
    var tree = ScheduleTree()
    while hasSchedulesLeft {
      count += 1
      let trial = runner.run(Schedule(seed: 0, choices: tree.prefix))
      note(trial, "Schedule number \(count) fails.")
      if let divergence = tree.divergence(of: trial.schedule) {
        return failure = failure ?? .diverged(trial, divergence)
      }
      guard tree.advance(past: trial.schedule) else { return isExhaustive = true }
      if count == limit { return failure = .limitReached(limit) }
    }
  }

  private mutating func replay(_ schedule: Schedule) {
    let trial = runner.run(schedule, isNarrated: true)
    count = 1
    coverage.insert(trial.schedule)
    let divergence = schedule.divergence(of: trial.schedule)
    if Task.isCancelled {
      isCancelled = true
    } else if trial.failure != nil {
      finds = [Find(trial: trial, headline: "The schedule fails.", divergence: divergence)]
    } else if let divergence {
      failure = .diverged(trial, divergence)
    }
  }

  /// True while there are schedules left to try.
  private var hasSchedulesLeft: Bool {
    if isCancelled { return false }
    guard let timeForOthers else { return true }
    return finds.count < Self.maximumFinds && !runner.issues.isHeard && !timeForOthers.isOver
  }

  private mutating func note(_ trial: Trial, _ headline: String) {
    // A run that was cut short says nothing about its schedule.
    if Task.isCancelled { return isCancelled = true }
    coverage.insert(trial.schedule)
    guard let failure = trial.failure, !finds.contains(where: { $0.trial.failure?.identity == failure.identity }) else {
      return
    }
    finds.append(Find(trial: trial, headline: headline))
    if timeForOthers == nil { timeForOthers = TimeLimit(.seconds(1), now: now) }
  }

  // MARK: Reporting

  private func shrink(_ find: inout Find, within limit: TimeLimit) {
    var shrinker = Shrinker(find.trial, runner: runner, within: limit)
    let shrunk = shrinker.shrink()
    let narrated = runner.run(shrunk.schedule, isNarrated: true)
    let (before, after) = (find.trial.schedule.switchCount, shrunk.schedule.switchCount)
    var headline = find.headline
    if after < before {
      let choices = before == 1 ? "choice" : "choices"
      headline += " Shrunk from \(before) \(choices) out of the ordinary to \(after)."
    }
    if let length = shrinker.holdLength { headline += " They hold one task back for \(length) choices." }
    if shrinker.isInterrupted { headline += " There was no time to shrink it further." }
    // The second run counts only if it failed in the same way.
    let isSame = narrated.failure?.identity == shrunk.failure?.identity
    find = Find(trial: isSame ? narrated : shrunk, headline: headline)
    // A run that was cut short says nothing about its schedule.
    if Task.isCancelled { return }
    find.divergence = shrunk.schedule.divergence(of: narrated.schedule)
    find.otherOutcome = isSame ? nil : Self.otherOutcome(of: narrated)
  }

  private static func otherOutcome(of trial: Trial) -> String {
    let words = trial.failure.map { "failed in another way (\($0.description.prefix { $0 != "\n" }))" } ?? "passed"
    return "The same schedule \(words) when it was run again: "
      + "the body depends on something that the simulation does not decide."
  }

  private func report(_ first: Find) -> SimulationFailure {
    var paragraphs = [paragraph(first)]
    if finds.count > 1 {
      paragraphs.append(finds.count == 2 ? "Another failure:" : "\(finds.count - 1) other failures:")
      paragraphs += finds.dropFirst().map { paragraph($0) }
    }
    return SimulationFailure(
      .failingSchedule, paragraphs.joined(separator: "\n\n"), schedule: first.trial.schedule)
  }

  private func paragraph(_ find: Find) -> String {
    var lines = [find.headline]
    if let divergence = find.divergence { lines.append("Its runs differ: \(divergence).") }
    if let other = find.otherOutcome { lines.append(other) }
    if let failure = find.trial.failure { lines.append(failure.description) }
    if !find.trial.eventLog.isEmpty {
      lines.append("What the stores did:\n  " + find.trial.eventLog.joined(separator: "\n  "))
    }
    lines.append(replay(find.trial.schedule))
    return lines.joined(separator: "\n")
  }
}

extension SimulationFailure {
  fileprivate static func limitReached(_ limit: Int) -> SimulationFailure {
    let message =
      "There are more schedules than \(limit), all of which pass. Raise the limit, make the body smaller, or explore seeds."
    return SimulationFailure(.limitReached, message, schedule: nil)
  }

  fileprivate static func diverged(_ trial: Trial, _ divergence: String) -> SimulationFailure {
    let message =
      "Divergence: the schedule can't be followed: \(divergence). The program has changed, was built differently, or depends on something that the simulation does not decide."
    return SimulationFailure(.divergence, message, schedule: trial.schedule)
  }
}
