import CAsyncStoreTesting
import Synchronization

/// The hooks into the concurrency runtime for the simulation that a thread drives.
///
/// Tasks created without an executor preference, and the main actor's jobs, would leave the simulation. The runtime
/// calls hooks for both; a thread-local variable determines whether they have to act on this thread.
enum RuntimeHooks {
  /// Drives a scheduler on this thread: jobs that are enqueued here while `body` runs go to that scheduler.
  ///
  /// Only one thread at a time drives a scheduler. Simultaneous simulations would run each other's tasks in the actors
  /// that they share, such as the main actor. A nested simulation runs in the outer one's turn.
  static func drive<Result: Sendable, Failure>(
    _ scheduler: Scheduler, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let outer = asyncStoreTesting_driver() { return try drive(scheduler, within: outer, body) }
    return try turn.withLock { _ throws(Failure) in
      install()
      return try drive(scheduler, within: nil, body)
    }
  }

  private static func drive<Result, Failure>(
    _ scheduler: Scheduler, within outer: UnsafeMutableRawPointer?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    driven.withLock { $0.append(scheduler) }
    asyncStoreTesting_setDriver(Unmanaged.passUnretained(scheduler).toOpaque())
    defer {
      asyncStoreTesting_setDriver(outer)
      if let outer { self.scheduler(outer).noteTasks(madeIn: scheduler) }
      driven.withLock { _ = $0.removeLast() }
    }
    return try body()
  }

  /// Returns whether this thread drives the scheduler, or another one inside it.
  static func isDriving(_ scheduler: Scheduler) -> Bool {
    guard let driver = asyncStoreTesting_driver() else { return false }
    if driver == Unmanaged.passUnretained(scheduler).toOpaque() { return true }
    return driven.withLock { $0.contains { $0 === scheduler } }
  }

  /// Returns a description of a job at the time it is enqueued.
  static func describe(_ job: UnownedJob) -> AsyncStoreTestingJob { asyncStoreTesting_describe(pointer(to: job)) }

  /// The scheduler that this thread drives.
  fileprivate static var current: Scheduler? { asyncStoreTesting_driver().map { scheduler($0) } }

  private static let turn = Mutex(())
  /// The schedulers being driven: one, and those of simulations nested in it.
  private static let driven = Mutex<[Scheduler]>([])

  /// Returns the simulation of a task that this thread has encountered: the innermost of those it drives that may own
  /// the task; `nil` if the task comes from outside.
  fileprivate static func owner(of job: UnownedJob, _ description: AsyncStoreTestingJob) -> Scheduler? {
    guard let current else { return nil }
    let task = asyncStoreTesting_task(pointer(to: job))
    if description.isNew, let task { note(made: task, in: current) }
    return owner(of: description.task, task, innermost: current)
  }

  private static func owner(of number: UInt64, _ task: UnsafeRawPointer?, innermost current: Scheduler) -> Scheduler? {
    current.mayOwn(number, task) ? current : driven.withLock { $0.last { $0.mayOwn(number, task) } }
  }

  /// Records a task that this thread has created or is creating.
  ///
  /// A child belongs to its parent's simulation. The parent may be a task from outside, in the turn of an actor.
  private static func note(made task: UnsafeRawPointer, in current: Scheduler) {
    let number = asyncStoreTesting_number(task)
    guard let parent = asyncStoreTesting_parent(task) else { return current.note(made: number) }
    owner(of: asyncStoreTesting_number(parent), parent, innermost: current)?.note(made: number)
  }

  /// Enqueues a job that would go to the default executor, unless its task comes from outside.
  private static func enqueueGlobal(_ job: UnownedJob) -> Bool {
    let description = describe(job)
    guard let owner = owner(of: job, description) else { return false }
    owner.enqueueGlobal(job, description)
    return true
  }

  /// Passes a job, found by a thread that drives nothing, to the simulation of its task.
  static func reclaim(_ job: UnownedJob, isMain: Bool) -> Bool {
    driven.withLock { $0 }.contains { $0.reclaim(job, isMain: isMain) }
  }

  /// Installs the hooks; called before each simulation, because another library may have replaced one since.
  private static func install() {
    var callbacks = AsyncStoreTestingCallbacks(
      enqueue: { _, job in RuntimeHooks.enqueueGlobal(RuntimeHooks.job(at: job)) },
      reclaim: { job in RuntimeHooks.reclaim(RuntimeHooks.job(at: job), isMain: false) },
      sleep: { driver in RuntimeHooks.scheduler(driver).noteSystemSleep() },
      make: { driver, task, name in
        let scheduler = RuntimeHooks.scheduler(driver)
        RuntimeHooks.note(made: task, in: scheduler)
        if let name { scheduler.note(name: name, ofTask: asyncStoreTesting_number(task)) }
      },
      mainExecutor: { _ in RuntimeHooks.reference(to: MainActorExecutor.shared.asUnownedSerialExecutor()) },
      switchExecutor: { _ in RuntimeHooks.reference(to: SwitchExecutor.shared.asUnownedSerialExecutor()) },
      exhaust: { driver in RuntimeHooks.scheduler(driver).noteEndlessJob() })
    // An existential of a class and a protocol consists of these two pointers. The conversion prevents the existential
    // from being opened.
    let executor = unsafeBitCast(
      globalConcurrentExecutor as any TaskExecutor, to: (UnsafeRawPointer, UnsafeRawPointer).self)
    asyncStoreTesting_installHooks(&callbacks, executor.0, executor.1)
  }

  // MARK: Between the runtime's types and Swift's

  /// Returns the scheduler of a driver pointer; the code that drives the scheduler keeps it alive meanwhile.
  private static func scheduler(_ driver: UnsafeMutableRawPointer) -> Scheduler {
    Unmanaged<Scheduler>.fromOpaque(driver).takeUnretainedValue()
  }

  /// Returns the job at a pointer.
  ///
  /// An `UnownedJob` is the runtime's pointer to the job and nothing else: its only stored property is a `Builtin.Job`.
  private static func job(at pointer: UnsafeRawPointer) -> UnownedJob { unsafeBitCast(pointer, to: UnownedJob.self) }
  static func pointer(to job: UnownedJob) -> UnsafeRawPointer { unsafeBitCast(job, to: UnsafeRawPointer.self) }

  /// Returns the runtime's reference to an executor.
  ///
  /// An `UnownedSerialExecutor` is that reference and nothing else: its only stored property is a `Builtin.Executor`,
  /// the object and its witness table.
  private static func reference(to executor: UnownedSerialExecutor) -> AsyncStoreTestingExecutor {
    unsafeBitCast(executor, to: AsyncStoreTestingExecutor.self)
  }
}

/// The main actor's executor within simulations.
///
/// All simulations share one, which lives forever: the runtime keeps it without owning it, even for a task that nobody
/// resumes before its simulation ends.
final class MainActorExecutor: SerialExecutor {
  static let shared = MainActorExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let description = RuntimeHooks.describe(job)
    if let owner = RuntimeHooks.owner(of: job, description) { return owner.enqueueMain(job, description) }
    // A thread that drives nothing has found a simulation's task on the main actor. If that simulation is over, the
    // task's simulation is unknown, and the task runs on the real main actor.
    if !RuntimeHooks.reclaim(job, isMain: true) { MainActor.shared.enqueue(job) }
  }
}

/// The executor through which tasks go from actor to actor within simulations, where the runtime would not enqueue
/// them.
///
/// All simulations share one, as they do the main actor's executor. Only threads that drive a simulation use it. A task
/// from outside that has run in an actor's turn there continues to its destination on a thread of its own.
final class SwitchExecutor: SerialExecutor {
  static let shared = SwitchExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let description = RuntimeHooks.describe(job)
    guard let owner = RuntimeHooks.owner(of: job, description) else { return globalConcurrentExecutor.enqueue(job) }
    owner.enqueueSwitch(job, description)
  }
}
