import CAsyncStoreTesting
import Synchronization

/// What the concurrency runtime is told on behalf of the simulation that a thread drives.
///
/// Tasks that are made without a preference for an executor, and the main actor's jobs, would leave the simulation. The
/// runtime asks hooks about both; a variable of each thread says whether they have to answer there.
enum RuntimeHooks {
  /// Drives a scheduler on this thread: as long as `body` runs, what is enqueued here goes to it.
  static func drive<Result>(_ scheduler: Scheduler, _ body: () throws -> Result) rethrows -> Result {
    install()
    let outer = asyncStoreTesting_driver()
    asyncStoreTesting_setDriver(Unmanaged.passUnretained(scheduler).toOpaque())
    defer { asyncStoreTesting_setDriver(outer) }
    return try withExtendedLifetime(scheduler) { try body() }
  }

  /// Whether this thread drives the scheduler.
  static func isDriving(_ scheduler: Scheduler) -> Bool {
    asyncStoreTesting_driver() == Unmanaged.passUnretained(scheduler).toOpaque()
  }

  /// Which task a job belongs to.
  static func task(of job: UnownedJob) -> UInt64 { asyncStoreTesting_taskOfJob(pointer(to: job)) }

  /// The scheduler that this thread drives.
  fileprivate static var current: Scheduler? { asyncStoreTesting_driver().map { scheduler($0) } }

  private static let lock = Mutex(())

  /// Another library may have taken a hook's place since; so this happens before each simulation.
  private static func install() {
    var callbacks = AsyncStoreTestingCallbacks(
      enqueue: { driver, job in RuntimeHooks.scheduler(driver).enqueue(RuntimeHooks.job(at: job), isMain: false) },
      mainExecutor: { _ in RuntimeHooks.reference(to: MainActorExecutor.shared) })
    lock.withLock { _ in asyncStoreTesting_installHooks(&callbacks) }
  }

  // MARK: Between the runtime's types and Swift's

  /// Whoever drives a scheduler keeps it alive for as long as it is a thread's driver.
  private static func scheduler(_ driver: UnsafeMutableRawPointer) -> Scheduler {
    Unmanaged<Scheduler>.fromOpaque(driver).takeUnretainedValue()
  }

  /// An `UnownedJob` is the runtime's pointer to the job and nothing else: its one stored property is a `Builtin.Job`.
  private static func job(at pointer: UnsafeRawPointer) -> UnownedJob { unsafeBitCast(pointer, to: UnownedJob.self) }
  private static func pointer(to job: UnownedJob) -> UnsafeRawPointer { unsafeBitCast(job, to: UnsafeRawPointer.self) }

  /// An `UnownedSerialExecutor` is the runtime's reference and nothing else: its one stored property is a `Builtin.Executor`,
  /// the object and its witness table.
  private static func reference(to executor: MainActorExecutor) -> AsyncStoreTestingExecutor {
    unsafeBitCast(executor.asUnownedSerialExecutor(), to: AsyncStoreTestingExecutor.self)
  }
}

/// The main actor's executor within simulations.
///
/// There is one for all, and it lives for ever: the runtime keeps it without owning it, also for a task that nobody resumes
/// before its simulation ends.
final class MainActorExecutor: SerialExecutor {
  static let shared = MainActorExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A thread that drives nothing has found a main actor's task of a simulation. Whose it was can't be known; it runs on
    // the real main actor.
    guard let scheduler = RuntimeHooks.current else { return MainActor.shared.enqueue(job) }
    scheduler.enqueue(job, isMain: true)
  }
}
