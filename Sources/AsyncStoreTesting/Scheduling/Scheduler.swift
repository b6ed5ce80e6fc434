import AsyncStore
import CAsyncStoreTesting
import Synchronization

/// Runs the jobs of one simulation one after the other, on the thread that drives it, and keeps the time.
///
/// | nothing is runnable, and | what happens |
/// |---|---|
/// | a call of `eventually` may have missed something | it asks its condition again |
/// | the main task has ended | the simulation is over |
/// | somebody waits for the time to pass | the time passes, up to the next sleeper or to that moment |
/// | a call of `eventually` waits | the time passes, up to the next sleeper within the time of the call |
/// | time is automatic, somebody sleeps | the time passes, up to the next sleeper |
/// | otherwise | deadlock |
final class Scheduler: SimulatedExecutor {
  typealias Instant = TestClock.Instant

  /// The reason why driving has ended.
  enum Ending {
    case finished, failed(any Error), starved, deadlock, tooManyJobs, tooLate, escaped(Escape), cancelled, cutShort
    /// A job that does not end, with the place of its task if the task was created here and the place is known.
    case endlessJob(CodePlace?)
  }

  /// The ways out of a simulation.
  enum Escape {
    /// Another thread has resumed a task; the value is the task's place, if the task was created here and the place is
    /// known.
    case resumed(CodePlace?)
    /// A task sleeps on the system's clock; the value is the task's place, if the task was created here and the place
    /// is known.
    case systemSleep(CodePlace?)
  }

  struct Options: Sendable {
    var isAutomatic = true
    var limits = SimulationLimits()
    /// The maximum delay with which sleepers may wake.
    var jitter = Duration.zero
    /// True if threads that don't drive the scheduler may enqueue jobs, which run in order of arrival.
    var isOpen = false
    /// True if the names of tasks and the origins of plain tasks are recorded; an origin is most of a task's cost.
    var findsOrigins = true
    /// The limit of real time, after which the simulation is cut short.
    var timeLimit: TimeLimit?
    /// The trace, to which jobs are added as they run.
    var trace: Trace?
    /// The record that choices are written to.
    var recording: Recording?
  }

  struct Advance {
    let target: Instant
    let isOpen: Bool
    let continuation: UnsafeContinuation<Void, Never>
  }

  struct State {
    var strategy: any SchedulingStrategy
    var runnable = RunQueue()
    var choices: [Schedule.Choice] = []
    var now = Instant()
    var sleepers = SleeperList()
    var advances: [Advance] = []
    var jobCount = 0
    /// The calls of `eventually` that have not returned.
    var livenessCalls = LivenessCalls()
    /// True if jobs run in the order in which they became runnable, whatever the strategy, and sleepers wake on time.
    var isFair: Bool { isOverdue || !livenessCalls.isEmpty }
    /// True once the job limit was reached; from then on the schedule is fair.
    var isOverdue = false
    /// True if the body had not ended when the job limit was reached.
    var isStarved = false
    var hasMainEnded = false
    var hasMainFailed = false
    var isOver = false
    var isAbandoned = false
    let isRecorded: Bool
    let trace: Trace?
    /// The last job in which a cancelled sleep ended at once.
    var lastCancelledSleep = 0
    /// The number of sleeps since the simulation was over.
    var lateSleepCount = 0
    var escape: Escape?
    /// The place of the task whose job does not end; see `Ending`.
    var endlessJob: CodePlace??
    /// The error of code that runs beside the main task.
    var failure: (any Error)?
    var plainTasks = PlainTaskList()
    /// The names that tasks were created with, by the tasks' numbers.
    var taskNames: [UInt64: String] = [:]
    /// The highest number of the tasks that have had a job.
    var newestTask: UInt64 = 0
    /// The number of jobs so far that belong to an actor and not to a task.
    var actorJobCount: UInt64 = 0
    /// The tasks without the simulation's executor that are not plain tasks, by number.
    ///
    /// These tasks have been on the main actor, or are children of plain tasks. Their numbers are kept until the end.
    var childAndMainTasks: Set<UInt64> = []
  }

  /// The number of moments that jitter chooses from.
  static let delayLevels = 3

  let options: Options
  let state: Mutex<State>
  /// The number of the main task, or 0 if there is none.
  private let mainTask = Atomic<UInt64>(0)
  /// The tasks that the driving thread has created, where the runtime makes that visible.
  private let madeTasks = Mutex(MadeTasks())

  init(strategy: any SchedulingStrategy, options: Options) {
    trap(
      unless: options.jitter >= .zero,
      "No sleeper wakes early: the jitter must be zero or above, not \(options.jitter).")
    self.options = options
    var state = State(strategy: strategy, isRecorded: options.recording != nil, trace: options.trace)
    // Enough for small programs, whose schedules should not take longer than their jobs.
    state.runnable.reserveCapacity(16)
    state.choices.reserveCapacity(64)
    self.state = Mutex(state)
  }

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let description = RuntimeHooks.describe(job)
    enqueue(RunnableJob(job, description, isMain: false, isPlain: false))
  }

  /// Records the task of the body, before any other task is created.
  func note(main: TaskReference) { mainTask.store(main.number, ordering: .relaxed) }

  /// Returns whether a task belongs to the simulation, because the driving thread has created it or an ancestor of it.
  ///
  /// Where that is not visible, the task may belong to it unless it was created before the main task, and so has a
  /// lower number. A simulation without a main task takes all.
  ///
  /// - Parameters:
  ///   - number: the task's number; 0 for none.
  ///   - task: the task itself.
  /// - Complexity: linear in the number of the task's ancestors below the first one known to belong to the simulation.
  func mayOwn(_ number: UInt64, _ task: UnsafeRawPointer?) -> Bool {
    let main = mainTask.load(ordering: .relaxed)
    guard number >= main else { return number == 0 }
    let ancestors = sequence(state: task) { (task: inout UnsafeRawPointer?) -> UInt64? in
      task = task.flatMap { asyncStoreTesting_parent($0) }
      return task.map { asyncStoreTesting_number($0) }
    }
    return madeTasks.withLock { made in
      main == 0 || !made.contains(main) || made.contains(number, below: ancestors)
    }
  }

  /// Enqueues a job that would go to the default executor.
  func enqueueGlobal(_ job: UnownedJob, _ description: AsyncStoreTestingJob) {
    enqueue(
      RunnableJob(job, description, isMain: false, isPlain: description.isUnstructured),
      isChild: description.task != 0 && !description.isUnstructured && !description.isYield)
  }

  /// Enqueues a job of the main actor.
  func enqueueMain(_ job: UnownedJob, _ description: AsyncStoreTestingJob) {
    let isPlain = description.isUnstructured && !description.hasPreference
    enqueue(RunnableJob(job, description, isMain: true, isPlain: isPlain))
  }

  /// Enqueues a task that is on its way from one actor to another.
  func enqueueSwitch(_ job: UnownedJob, _ description: AsyncStoreTestingJob) {
    enqueue(RunnableJob(job, description, isMain: false, isPlain: false, isSwitch: true))
  }

  /// - Parameter isChild: true if the job is a child of a task without the simulation's executor.
  private func enqueue(_ entry: RunnableJob, isChild: Bool = false) {
    let isDriving = RuntimeHooks.isDriving(self)
    let isForeign = !options.isOpen && !isDriving
    let isLeft = state.withLock { state in
      // A task that outlives the simulation stays where it is; an actor may also be used outside.
      if state.isOver, !entry.isActor || !isDriving { return true }
      if isForeign { state.escape = state.escape ?? .resumed(nil) }
      state.append(entry, options)
      if isChild { state.childAndMainTasks.insert(entry.task) }
      return false
    }
    if isLeft, entry.isActor { globalConcurrentExecutor.enqueue(entry.job) }
  }

  /// Takes a job that another thread has found, if its task belongs to the simulation but lacks its executor.
  func reclaim(_ job: UnownedJob, isMain: Bool) -> Bool {
    let description = RuntimeHooks.describe(job)
    return state.withLock { state in
      let isKnown = state.plainTasks.contains(description.task) || state.childAndMainTasks.contains(description.task)
      guard isKnown, !state.isOver else { return false }
      if !options.isOpen { state.escape = state.escape ?? .resumed(state.plainTasks.origin(of: description.task)) }
      state.append(RunnableJob(job, description, isMain: isMain, isPlain: false), options)
      return true
    }
  }

  /// Records that the current job sleeps on the system's clock.
  func noteSystemSleep() {
    guard !options.isOpen else { return }
    let task = asyncStoreTesting_currentTask()
    state.withLock { $0.escape = $0.escape ?? .systemSleep($0.plainTasks.origin(of: task)) }
  }

  /// Records that the current job has continued as often as it may; its task has to give way.
  func noteEndlessJob() {
    let task = asyncStoreTesting_currentTask()
    state.withLock { $0.endlessJob = $0.endlessJob ?? .some($0.plainTasks.origin(of: task)) }
  }

  /// Records a task that the driving thread has created or is creating.
  ///
  /// The task's parent, if it has one, belongs to the simulation.
  func note(made task: UInt64) { madeTasks.withLock { $0.insert(task) } }

  /// Adopts the tasks of a simulation that has run inside this one: the remaining ones belong to this simulation.
  func noteTasks(madeIn inner: Scheduler) {
    let tasks = inner.madeTasks.withLock { $0 }
    madeTasks.withLock { $0.insert(tasks) }
  }

  /// Records the name that a task was created with.
  func note(name: UnsafePointer<CChar>, ofTask task: UInt64) {
    guard options.findsOrigins else { return }
    let name = String(cString: name)
    state.withLock { $0.taskNames[task] = name }
  }

  /// Records that the main task has ended; everything that can still run without time passing does.
  ///
  /// - Parameter isFailure: true if nothing more runs.
  func noteMainEnd(isFailure: Bool) {
    state.withLock { state in
      state.hasMainEnded = true
      state.hasMainFailed = isFailure
    }
  }

  /// Fails the simulation, because something beside the main task has failed; the first error counts.
  func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }
}
