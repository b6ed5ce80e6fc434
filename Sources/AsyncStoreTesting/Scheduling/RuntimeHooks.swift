import CAsyncStoreTesting
import Synchronization

/// What the concurrency runtime is told on behalf of the simulation that a thread drives.
///
/// Tasks that are made without a preference for an executor, and the main actor's jobs, would leave the simulation. The
/// runtime asks hooks about both; a variable of each thread says whether they have to answer there.
enum RuntimeHooks {
  /// Drives a scheduler on this thread: as long as `body` runs, what is enqueued here goes to it.
  ///
  /// One thread at a time does so. Simulations at the same time would run each other's tasks in the actors that they
  /// share, the main actor among them. A simulation within another one runs in the other one's turn.
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
      driven.withLock { _ = $0.removeLast() }
    }
    return try body()
  }

  /// Whether this thread drives the scheduler.
  static func isDriving(_ scheduler: Scheduler) -> Bool {
    asyncStoreTesting_driver() == Unmanaged.passUnretained(scheduler).toOpaque()
  }

  /// What a job is, when it is enqueued.
  static func describe(_ job: UnownedJob) -> AsyncStoreTestingJob { asyncStoreTesting_describe(pointer(to: job)) }

  /// The scheduler that this thread drives.
  fileprivate static var current: Scheduler? { asyncStoreTesting_driver().map { scheduler($0) } }

  private static let turn = Mutex(())
  /// What is driven now: one scheduler, and those within each other.
  private static let driven = Mutex<[Scheduler]>([])

  /// A thread that drives nothing has found a job: it goes to the simulation whose task it is.
  static func reclaim(_ job: UnownedJob, isMain: Bool) -> Bool {
    driven.withLock { $0 }.contains { $0.reclaim(job, isMain: isMain) }
  }

  /// Another library may have taken a hook's place since; so this happens before each simulation.
  private static func install() {
    var callbacks = AsyncStoreTestingCallbacks(
      enqueue: { driver, job in RuntimeHooks.scheduler(driver).enqueueGlobal(RuntimeHooks.job(at: job)) },
      reclaim: { job in RuntimeHooks.reclaim(RuntimeHooks.job(at: job), isMain: false) },
      sleep: { driver in RuntimeHooks.scheduler(driver).noteSystemSleep() },
      name: { driver, task, name in RuntimeHooks.scheduler(driver).note(name: name, ofTask: task) },
      mainExecutor: { _ in RuntimeHooks.reference(to: MainActorExecutor.shared) })
    // An existential of a class and a protocol is these two pointers. The conversion keeps it from being opened.
    let executor = unsafeBitCast(
      globalConcurrentExecutor as any TaskExecutor, to: (UnsafeRawPointer, UnsafeRawPointer).self)
    asyncStoreTesting_installHooks(&callbacks, executor.0, executor.1)
  }

  // MARK: Between the runtime's types and Swift's

  /// The code that drives a scheduler keeps it alive for as long as it is a thread's driver.
  private static func scheduler(_ driver: UnsafeMutableRawPointer) -> Scheduler {
    Unmanaged<Scheduler>.fromOpaque(driver).takeUnretainedValue()
  }

  /// An `UnownedJob` is the runtime's pointer to the job and nothing else: its one stored property is a `Builtin.Job`.
  private static func job(at pointer: UnsafeRawPointer) -> UnownedJob { unsafeBitCast(pointer, to: UnownedJob.self) }
  static func pointer(to job: UnownedJob) -> UnsafeRawPointer { unsafeBitCast(job, to: UnsafeRawPointer.self) }

  /// An `UnownedSerialExecutor` is the runtime's reference and nothing else: its one stored property is a
  /// `Builtin.Executor`, the object and its witness table.
  private static func reference(to executor: MainActorExecutor) -> AsyncStoreTestingExecutor {
    unsafeBitCast(executor.asUnownedSerialExecutor(), to: AsyncStoreTestingExecutor.self)
  }
}

/// The main actor's executor within simulations.
///
/// There is one for all, and it lives for ever: the runtime keeps it without owning it, also for a task that nobody
/// resumes before its simulation ends.
final class MainActorExecutor: SerialExecutor {
  static let shared = MainActorExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let scheduler = RuntimeHooks.current { return scheduler.enqueueMain(job) }
    // A thread that drives nothing has found a main actor's task of a simulation. If that is over, whose it was can't
    // be known; it runs on the real main actor.
    if !RuntimeHooks.reclaim(job, isMain: true) { MainActor.shared.enqueue(job) }
  }
}
