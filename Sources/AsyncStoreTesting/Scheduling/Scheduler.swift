import CAsyncStoreTesting
import Synchronization

/// Runs the jobs of one simulation, one after the other, on the thread that drives it, and tells the time.
///
/// | nothing is runnable, and | what happens |
/// |---|---|
/// | the main task has ended | the simulation is over |
/// | somebody waits for the time to pass | the time passes, up to the next sleeper or to that moment |
/// | time is automatic, somebody sleeps | the time passes, up to the next sleeper |
/// | otherwise | deadlock |
final class Scheduler: TaskExecutor {
  typealias Instant = TestClock.Instant

  /// Why driving has ended.
  enum Ending { case finished, starved, deadlock, tooManyJobs, tooLate, escaped(Escape), cancelled }

  /// The ways out of a simulation.
  enum Escape {
    /// Another thread has resumed a task, one that was made here if that is known.
    case resumed(CodePlace?)
    /// A task sleeps on the system's clock, one that was made here if that is known.
    case systemSleep(CodePlace?)
  }

  struct Options: Sendable {
    var isAutomatic = true
    var limits = SimulationLimits()
    /// How late sleepers may wake.
    var jitter = Duration.zero
    /// Whether threads that don't drive it may enqueue jobs, which run in the order in which they come.
    var isOpen = false
    /// True if the origin of each plain task is noted, which is most of a task's cost.
    var findsOrigins = true
    /// The record that choices are written to.
    var recording: Recording?
  }

  fileprivate struct Advance {
    let target: Instant
    let isOpen: Bool
    let continuation: UnsafeContinuation<Void, Never>
  }

  fileprivate struct State {
    var strategy: any SchedulingStrategy
    var runnable = RunQueue()
    var choices: [Schedule.Choice] = []
    var now = Instant()
    var sleepers = SleeperList()
    var advances: [Advance] = []
    var jobCount = 0
    /// True if jobs run in the order in which they became runnable, whatever the strategy.
    var isFair = false
    /// True once the job limit was reached, since when the schedule is fair.
    var isOverdue = false
    var hasMainEnded = false
    var hasMainFailed = false
    var isOver = false
    var isAbandoned = false
    let isRecorded: Bool
    /// The number of sleeps since the simulation was abandoned.
    var abandonedSleepCount = 0
    var escape: Escape?
    var plainTasks = PlainTaskList()
    /// How many jobs there were that belong to an actor and to no task.
    var actorJobCount: UInt64 = 0
    /// The tasks that have been on the main actor.
    var mainTasks: Set<UInt64> = []
  }

  /// How many moments jitter chooses from.
  fileprivate static let delayLevels = 3

  let options: Options
  private let state: Mutex<State>

  init(strategy: any SchedulingStrategy, options: Options) {
    self.options = options
    state = Mutex(State(strategy: strategy, isRecorded: options.recording != nil))
  }

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let description = RuntimeHooks.describe(job)
    enqueue(RunnableJob(job, description, isMain: false, isPlain: false))
  }

  /// A job that would go to the default executor.
  func enqueueGlobal(_ job: UnownedJob) {
    let description = RuntimeHooks.describe(job)
    enqueue(RunnableJob(job, description, isMain: false, isPlain: description.isUnstructured))
  }

  /// A job of the main actor's.
  func enqueueMain(_ job: UnownedJob) {
    let description = RuntimeHooks.describe(job)
    let isPlain = description.isUnstructured && !description.hasPreference
    enqueue(RunnableJob(job, description, isMain: true, isPlain: isPlain))
  }

  private func enqueue(_ entry: RunnableJob) {
    let isForeign = !options.isOpen && !RuntimeHooks.isDriving(self)
    state.withLock { state in
      // Whatever outlives the simulation stays where it is.
      guard !state.isOver else { return }
      if isForeign { state.escape = state.escape ?? .resumed(nil) }
      state.append(entry, options)
    }
  }

  /// Takes a job that another thread has found, if its task is one of the simulation's that don't have its executor.
  func reclaim(_ job: UnownedJob, isMain: Bool) -> Bool {
    let description = RuntimeHooks.describe(job)
    return state.withLock { state in
      let isKnown = state.plainTasks.contains(description.task) || state.mainTasks.contains(description.task)
      guard isKnown, !state.isOver else { return false }
      if !options.isOpen { state.escape = state.escape ?? .resumed(state.plainTasks.origin(of: description.task)) }
      state.append(RunnableJob(job, description, isMain: isMain, isPlain: false), options)
      return true
    }
  }

  /// The job that runs now sleeps on the system's clock.
  func noteSystemSleep() {
    guard !options.isOpen else { return }
    let task = asyncStoreTesting_currentTask()
    state.withLock { $0.escape = $0.escape ?? .systemSleep($0.plainTasks.origin(of: task)) }
  }

  /// The main task has ended; what can still run without time passing does.
  ///
  /// - Parameter isFailure: nothing more does.
  func noteMainEnd(isFailure: Bool) {
    state.withLock { state in
      state.hasMainEnded = true
      state.hasMainFailed = isFailure
    }
  }

  // MARK: Driving

  /// Runs jobs until the main task has ended and nothing more can run, something is wrong, or the task that drives is
  /// cancelled.
  func drive() -> Ending {
    while options.isOpen || !Task.isCancelled {
      if let ending = step() { return ending }
    }
    return .cancelled
  }

  /// Runs one job, or lets the next thing happen that time brings.
  ///
  /// - Returns: why there is nothing; `nil`: there was something.
  func step() -> Ending? {
    switch nextStep() {
    case .run(let entry): run(entry)
    case .wake(let continuation): continuation.resume()
    case .advanced(let continuation): continuation.resume()
    case .end(let ending): return ending
    }
    return nil
  }

  /// Whether no time passes any more.
  var hasEnded: Bool { state.withLock { $0.isAbandoned || $0.isOver } }

  /// Lets what is left end: everything that sleeps or waits for time is woken, and plain tasks are cancelled.
  func abandon() {
    let (plainTasks, sleepers, advances) = state.withLock { state in
      state.isAbandoned = true
      state.strategy = ReplayStrategy()
      defer { state.advances = [] }
      return (state.plainTasks.running, state.sleepers.removeAll(), state.advances)
    }
    for task in plainTasks { task.cancel() }
    for sleeper in sleepers { sleeper.resume(throwing: CancellationError()) }
    for advance in advances { advance.continuation.resume() }
    // Something that goes on for ever doesn't, here.
    for _ in 0..<10_000 {
      let entry = state.withLock { $0.runnable.count > 0 ? $0.runnable.remove(at: 0) : nil }
      guard let entry else { break }
      run(entry)
    }
  }

  /// From here on nothing runs any more.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.runnable = RunQueue()
      state.plainTasks.removeAll()
    }
  }

  private enum Step {
    case run(RunnableJob)
    case wake(UnsafeContinuation<Void, any Error>)
    case advanced(UnsafeContinuation<Void, Never>)
    case end(Ending)
  }

  private func nextStep() -> Step {
    state.withLock { state in
      while true {
        if let step = nextStep(&state) { return step }
      }
    }
  }

  /// - Returns: `nil`: the time has passed, and it has to be seen what that brings.
  private func nextStep(_ state: inout State) -> Step? {
    if state.hasMainFailed { return .end(.finished) }
    if let escape = state.escape { return .end(.escaped(escape)) }
    if let sleeper = state.sleepers.removeFirst(wakingBy: state.now) { return .wake(sleeper) }
    if state.runnable.count > 0 {
      state.jobCount += 1
      if state.jobCount > options.limits.jobs, !state.continueFairly(past: options.limits.jobs) {
        return .end(.tooManyJobs)
      }
      return .run(options.isOpen ? state.runnable.remove(at: 0) : state.nextJob())
    }
    if state.hasMainEnded { return .end(state.isOverdue ? .starved : .finished) }
    if !state.advances.isEmpty { return advance(&state) }
    guard options.isAutomatic, let wake = state.sleepers.earliestWake else { return .end(.deadlock) }
    return pass(to: wake, &state)
  }

  private func run(_ entry: RunnableJob) {
    if entry.isMain {
      entry.job.runSynchronously(on: MainActorExecutor.shared.asUnownedSerialExecutor())
    } else {
      entry.job.runSynchronously(on: asUnownedTaskExecutor())
    }
    if entry.isPlain { state.withLock { $0.plainTasks.removeIfEnded(entry.task) } }
  }

  // MARK: Time

  var now: Instant { state.withLock { $0.now } }
  var runnableCount: Int { state.withLock { $0.runnable.count } }
  var jobCount: Int { state.withLock { $0.jobCount } }
  var choices: [Schedule.Choice] { state.withLock { $0.choices } }
  /// True if jobs run in order and sleepers wake on time, which is no choice of the schedule.
  var isFair: Bool {
    get { state.withLock { $0.isFair } }
    set { state.withLock { $0.isFair = newValue } }
  }
  var earliestDeadline: Instant? { state.withLock { $0.sleepers.earliestDeadline } }
  /// The tasks that were made without the simulation's executor, and have not returned.
  var plainTasks: [PlainTask] { state.withLock { $0.plainTasks.running } }
  var sleepers: [SleeperList.Sleeper] { state.withLock { Array($0.sleepers.all) } }

  /// Lets time pass at once, up to a moment.
  func pass(to moment: Instant) { state.withLock { $0.now = max($0.now, moment) } }

  /// Returns when everything that is due by then has happened.
  ///
  /// - Parameter target: `nil`: when nobody sleeps any more.
  nonisolated(nonsending) func advance(to target: Instant?) async {
    await withUnsafeContinuation { continuation in
      state.withLock { state in
        let advance = Advance(
          target: target ?? Instant(offset: .seconds(Int64.max)), isOpen: target == nil, continuation: continuation)
        state.advances.append(advance)
      }
    }
  }

  /// Puts the calling task to sleep, also for no time at all: it wakes after the job that it is in.
  ///
  /// Inlined, for a level of asynchronous calls costs a look-up of the task's executor when it returns.
  @inline(__always)
  nonisolated(nonsending) func sleep(until deadline: Instant, isAlarm: Bool) async throws {
    let id = state.withLock { $0.sleepers.nextID() }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        let isCancelled = state.withLock { state in
          // Cancelled from here on it is found in the list.
          if Task.isCancelled || state.isOver { return state.endsCancelledSleep() }
          let wake = max(deadline, state.now).advanced(by: state.delay(at: options.jitter))
          state.sleepers.insert(
            SleeperList.Sleeper(
              id: id, deadline: deadline, wake: wake, isAlarm: isAlarm, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      state.withLock { $0.sleepers.remove(id) }?.resume(throwing: CancellationError())
    }
  }

  /// Never returns by itself; it counts as no sleeper, since no time brings its end.
  nonisolated(nonsending) func hang() async throws {
    let stream = AsyncStream<Never> { _ in }
    for await _ in stream {}
    throw CancellationError()
  }

  /// Time passes for those who asked for it, the nearest first.
  private func advance(_ state: inout State) -> Step? {
    var first = 0
    for index in state.advances.indices where state.advances[index].target < state.advances[first].target {
      first = index
    }
    let request = state.advances[first]
    if let wake = state.sleepers.earliestWake, wake <= request.target { return pass(to: wake, &state) }
    if !request.isOpen {
      if request.target.offset > options.limits.time { return .end(.tooLate) }
      state.now = max(state.now, request.target)
      // Late they may be, but not later than the moment that was asked for.
      if state.sleepers.hurry(dueBy: state.now) { return nil }
    }
    state.advances.remove(at: first)
    return .advanced(request.continuation)
  }

  private func pass(to moment: Instant, _ state: inout State) -> Step? {
    if moment.offset > options.limits.time { return .end(.tooLate) }
    state.now = max(state.now, moment)
    return nil
  }
}

extension Scheduler.State {
  /// Tells if a cancelled sleep ends at once.
  ///
  /// A task that sleeps again and again, whatever the sleep throws, would never suspend. When the simulation is over it
  /// stays where it is then.
  fileprivate mutating func endsCancelledSleep() -> Bool {
    guard isAbandoned else { return true }
    abandonedSleepCount += 1
    return abandonedSleepCount <= 1_000
  }

  fileprivate mutating func append(_ entry: RunnableJob, _ options: Scheduler.Options) {
    var entry = entry
    if entry.task == 0 {
      actorJobCount += 1
      // Out of reach of the runtime's numbers.
      entry.task = 1 << 63 | actorJobCount
    }
    if entry.isPlain { plainTasks.insert(entry.job, entry.task, findsOrigin: options.findsOrigins) }
    if entry.isMain { mainTasks.insert(entry.task) }
    runnable.append(entry)
  }

  /// Goes on past the job limit under a fair schedule.
  ///
  /// - Returns: true until a tenth more jobs have run.
  fileprivate mutating func continueFairly(past limit: Int) -> Bool {
    isFair = true
    isOverdue = true
    return jobCount <= limit + limit / 10
  }

  fileprivate mutating func nextJob() -> RunnableJob {
    guard runnable.count > 1, !isFair else { return runnable.remove(at: 0) }
    let index = strategy.chooseJob(among: &runnable)
    note(Schedule.Choice(kind: .job, index: index, count: runnable.count))
    return runnable.remove(at: index)
  }

  /// How late the next sleeper will be.
  fileprivate mutating func delay(at jitter: Duration) -> Duration {
    guard jitter > .zero, !isFair else { return .zero }
    let levels = Scheduler.delayLevels
    let level = strategy.chooseDelay(levels: levels)
    note(Schedule.Choice(kind: .wake, index: level, count: levels))
    return jitter * level / (levels - 1)
  }

  private mutating func note(_ choice: Schedule.Choice) {
    choices.append(choice)
    if isRecorded { Recording.add(choice) }
  }
}
