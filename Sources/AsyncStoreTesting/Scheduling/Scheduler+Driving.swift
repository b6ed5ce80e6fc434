import AsyncStore
import CAsyncStoreTesting
import Synchronization

/// The loop that runs the jobs and lets time pass.
extension Scheduler {
  /// Returns the job limit of a simulation that is over, and could otherwise continue forever.
  ///
  /// - Parameter count: the number of remaining jobs and tasks, each of which needs a few jobs to end.
  private static func maximumLastJobs(for count: Int) -> Int { 10_000 + 16 * count }
  /// The number of times that a job of a simulation that is over may continue at an `await`.
  private static let maximumLastSwitches = 100
  /// The number of steps between two checks of the time limit.
  private static let stepsBetweenLooks = 64

  /// Runs jobs until the main task has ended and nothing more can run, something is wrong, the time limit is over, or
  /// the driving task is cancelled.
  func drive() -> Ending {
    var stepCount = 0
    while options.isOpen || !Task.isCancelled {
      if let ending = step() { return ending }
      stepCount &+= 1
      // Reading the time takes about as long as a short job.
      guard let limit = options.timeLimit, stepCount.isMultiple(of: Self.stepsBetweenLooks) else { continue }
      if limit.isOver { return .cutShort }
    }
    return .cancelled
  }

  /// Runs one job, or lets time pass to the next thing that happens.
  ///
  /// - Returns: the reason why there is nothing to do, or `nil` if there was something.
  func step() -> Ending? { take(nextStep(), maximumSwitches: options.limits.jobs) }

  @discardableResult
  private func take(_ step: Step, maximumSwitches: Int) -> Ending? {
    switch step {
    case .run(let entry): run(entry, maximumSwitches: maximumSwitches)
    case .wake(let waker): waker.wake()
    case .advanced(let continuation): continuation.resume()
    case .asked(let waiters): for waiter in waiters { waiter.resume() }
    case .end(let ending): return ending
    }
    return nil
  }

  /// True once no more time passes.
  var hasEnded: Bool { state.withLock { $0.isAbandoned || $0.isOver } }

  /// Ends what is left: wakes everything that sleeps or waits for time, and cancels plain tasks.
  func abandon() {
    let (plainTasks, sleepers, advances, waiters) = state.withLock { state in
      state.isAbandoned = true
      state.strategy = ReplayStrategy()
      defer { state.advances = [] }
      return (
        state.plainTasks.running, state.sleepers.removeAll(), state.advances, state.livenessCalls.removeAll()
      )
    }
    for task in plainTasks { task.cancel() }
    for sleeper in sleepers { sleeper.cancel() }
    for advance in advances { advance.continuation.resume() }
    for waiter in waiters { waiter.resume() }
    // Cancelled tasks are runnable by now, including children of plain tasks; others wait for some of them.
    var jobs = state.withLock { state in
      let count = plainTasks.count + state.runnable.count
      return LastJobs(newestTask: state.newestTask, shared: Self.maximumLastJobs(for: count))
    }
    var turns: [RunnableJob] = []
    while true {
      let step: Step? = state.withLock { state in
        if let sleeper = state.sleepers.removeFirst(wakingBy: state.now) { return .wake(sleeper) }
        state.jobCount += 1
        return state.runnable.isEmpty ? nil : .run(state.runnable.remove(at: 0))
      }
      guard let step else { break }
      if case .run(let entry) = step, !jobs.take(entry) {
        // From now on, a task stays where it is; an actor still has its turn, at the end.
        if entry.isActor { turns.append(entry) }
        continue
      }
      take(step, maximumSwitches: Self.maximumLastSwitches)
    }
    state.withLock { state in for turn in turns { state.runnable.append(turn) } }
  }

  /// Ends the simulation: from here on, no task runs any more.
  ///
  /// Actors still have their turns, because they may also be used outside, and an actor whose job is dropped never runs
  /// anything again. A task that leaves an actor then stays where it is, so that this ends.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.plainTasks.removeAll()
    }
    releaseTasks()
    // The limit also ends work that goes from actor to actor forever.
    let count = state.withLock { $0.runnable.count }
    for _ in 0..<Self.maximumLastJobs(for: count) {
      guard let entry = state.withLock({ $0.runnable.isEmpty ? nil : $0.runnable.remove(at: 0) }) else { break }
      if entry.isActor { run(entry, maximumSwitches: Self.maximumLastSwitches) }
    }
    state.withLock { $0.runnable = RunQueue() }
  }

  enum Step {
    case run(RunnableJob)
    case wake(SleeperList.Waker)
    case advanced(UnsafeContinuation<Void, Never>)
    case asked([LivenessCalls.Waiter])
    case end(Ending)
  }

  private func nextStep() -> Step {
    state.withLock { state in
      while true {
        if let step = nextStep(&state) { return step }
      }
    }
  }

  /// - Returns: the next step, or `nil` if time has passed and the caller has to look again.
  private func nextStep(_ state: inout State) -> Step? {
    if let failure = state.failure { return .end(.failed(failure)) }
    if state.hasMainFailed { return .end(.finished) }
    if let escape = state.escape { return .end(.escaped(escape)) }
    if let origin = state.endlessJob { return .end(.endlessJob(origin)) }
    if !state.livenessCalls.isEmpty { state.livenessCalls.note(state.now) }
    if let sleeper = state.sleepers.removeFirst(wakingBy: state.now) {
      state.livenessCalls.noteWake()
      return .wake(sleeper)
    }
    if state.runnable.count > 0 {
      let waiters = state.livenessCalls.endTurn(runnable: state.runnable.count)
      if !waiters.isEmpty { return .asked(waiters) }
      state.livenessCalls.noteJob()
      state.jobCount += 1
      if state.jobCount > options.limits.jobs, !state.continueFairly(past: options.limits.jobs) {
        return .end(.tooManyJobs)
      }
      let job = options.isOpen ? state.runnable.remove(at: 0) : state.nextJob()
      options.trace?.run(job, named: state.taskNames[job.task], at: state.now)
      return .run(job)
    }
    if let waiter = state.livenessCalls.nextToAsk() { return .asked([waiter]) }
    if state.hasMainEnded { return .end(state.isStarved ? .starved : .finished) }
    if let end = state.livenessCalls.earliestEnd { return passForLiveness(until: end, &state) }
    if !state.advances.isEmpty { return advance(&state) }
    guard options.isAutomatic, let wake = state.sleepers.earliestWake else { return .end(.deadlock) }
    return pass(to: wake, &state)
  }

  /// - Parameter maximumSwitches: the number of times that the job may continue at an `await` that lets nothing else
  ///   run.
  private func run(_ entry: RunnableJob, maximumSwitches: Int) {
    let switchesBefore = asyncStoreTesting_switchesLeft()
    asyncStoreTesting_setSwitchesLeft(max(0, maximumSwitches))
    // The schedule chooses the moment at which an operation begins, even in a store without an executor.
    withoutOperationsOfCallers {
      if entry.isMain {
        entry.job.runSynchronously(on: MainActorExecutor.shared.asUnownedSerialExecutor())
      } else if entry.isSwitch {
        entry.job.runSynchronously(on: SwitchExecutor.shared.asUnownedSerialExecutor())
      } else {
        entry.job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
    asyncStoreTesting_setSwitchesLeft(switchesBefore)
    guard entry.isPlain else { return }
    state.withLock { $0.plainTasks.removeIfEnded(entry.task) }
    releaseTasks()
  }

  /// Releases the removed plain tasks, whose results may call this scheduler when they are freed.
  private func releaseTasks() {
    for task in state.withLock({ $0.plainTasks.takeRemoved() }) { task.release() }
  }
}
