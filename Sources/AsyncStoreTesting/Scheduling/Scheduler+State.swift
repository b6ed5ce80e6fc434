import Synchronization

extension Scheduler {
  var runnableCount: Int { state.withLock { $0.runnable.count } }
  var jobCount: Int { state.withLock { $0.jobCount } }
  var hasMainEnded: Bool { state.withLock { $0.hasMainEnded } }
  var choices: [Schedule.Choice] { state.withLock { $0.choices } }
  /// The tasks created without the simulation's executor that have not returned.
  var plainTasks: [PlainTask] { state.withLock { $0.plainTasks.running } }
  /// The names that tasks were created with, by the tasks' numbers.
  var taskNames: [UInt64: String] { state.withLock { $0.taskNames } }

  func countJobs(_ count: Int) { state.withLock { $0.jobCount += count } }

  func choosesFault(_ probability: Double) -> Bool { state.withLock { $0.choosesFault(probability) } }
  func chooseOutcome(among count: Int) -> Int { state.withLock { $0.chooseOutcome(among: count) } }

  /// Returns one of five durations in a range, or one that ends at a deadline; under a fair schedule the shortest.
  ///
  /// Five durations hardly ever end when something else happens, and events at different moments are never interleaved.
  /// So there are also durations that end at the first deadlines within the range, at most three.
  ///
  /// - Parameter stores: the stores whose deadlines count too. A sleeper reveals only the first deadline of its store.
  func chooseLatency(in range: ClosedRange<Duration>, among stores: StoreList) -> Duration {
    let (levels, maximumDeadlines) = (5, 3)
    let width = range.upperBound - range.lowerBound
    guard width > .zero else { return range.lowerBound }
    var latencies = (0..<levels).map { range.lowerBound + width * $0 / (levels - 1) }
    // No time passes while a job runs.
    let now = now
    let moments = now.advanced(by: range.lowerBound)...now.advanced(by: range.upperBound)
    // Before the scheduler is locked, because the stores have locks of their own.
    let storeDeadlines = stores.deadlines(in: moments, first: maximumDeadlines + levels, at: now)
    return state.withLock { state in
      let deadlines = Set(storeDeadlines + state.sleepers.deadlines(in: moments, first: maximumDeadlines + levels))
      let others = deadlines.sorted().map { now.duration(to: $0) }.filter { !latencies.contains($0) }
      latencies += others.prefix(maximumDeadlines)
      return latencies[state.chooseOutcome(among: latencies.count)]
    }
  }
}

extension Scheduler.State {
  /// Returns whether a cancelled sleep ends at once; only the first one in each job does.
  ///
  /// This way, a task that sleeps again and again, whatever the sleep throws, lets others run, and can reach the
  /// limits. Once the simulation is over, there are no others to run; then a task that sleeps too often is no longer
  /// resumed.
  mutating func endsCancelledSleep() -> Bool {
    if isOver {
      lateSleepCount += 1
      return lateSleepCount <= 1_000
    }
    defer { lastCancelledSleep = jobCount }
    return lastCancelledSleep != jobCount
  }

  mutating func append(_ entry: RunnableJob, _ options: Scheduler.Options) {
    var entry = entry
    if entry.task == 0 {
      actorJobCount += 1
      // Outside the range of the runtime's numbers.
      entry.task = 1 << 63 | actorJobCount
    } else {
      newestTask = max(newestTask, entry.task)
    }
    if entry.isPlain { plainTasks.insert(entry.job, entry.task, findsOrigin: options.findsOrigins) }
    if entry.isMain { childAndMainTasks.insert(entry.task) }
    runnable.append(entry)
  }

  /// Continues beyond the job limit under a fair schedule.
  ///
  /// - Returns: true until a tenth more jobs have run.
  mutating func continueFairly(past limit: Int) -> Bool {
    if !isOverdue { (isOverdue, isStarved) = (true, !hasMainEnded) }
    return jobCount <= limit + limit / 10
  }

  mutating func nextJob() -> RunnableJob {
    guard runnable.count > 1, !isFair else { return runnable.remove(at: 0) }
    let index = strategy.chooseJob(among: &runnable)
    note(Schedule.Choice(kind: .job, index: index, count: runnable.count))
    return runnable.remove(at: index)
  }

  /// Returns the delay with which the next sleeper wakes.
  mutating func delay(at jitter: Duration) -> Duration {
    guard jitter > .zero, !isFair else { return .zero }
    let levels = Scheduler.delayLevels
    let level = strategy.chooseDelay(levels: levels)
    note(Schedule.Choice(kind: .wake, index: level, count: levels))
    return jitter * level / (levels - 1)
  }

  /// Returns whether a fault with this probability happens; under a fair schedule, only a certain one does.
  mutating func choosesFault(_ probability: Double) -> Bool {
    if probability >= 1 { return true }
    guard probability > 0, !isFair else { return false }
    let happens = strategy.choosesFault(probability)
    note(Schedule.Choice(kind: .fault, index: happens ? 1 : 0, count: 2))
    return happens
  }

  /// Returns one of several outcomes; under a fair schedule the first one.
  mutating func chooseOutcome(among count: Int) -> Int {
    guard count > 1, !isFair else { return 0 }
    let index = strategy.chooseOutcome(among: count)
    note(Schedule.Choice(kind: .fault, index: index, count: count))
    return index
  }

  private mutating func note(_ choice: Schedule.Choice) {
    // Choices made while the simulation is taken down are not part of its schedule.
    if isAbandoned { return }
    choices.append(choice)
    if isRecorded { Recording.add(choice) }
    trace?.note(choice, at: now)
  }
}
