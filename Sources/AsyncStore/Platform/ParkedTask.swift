/// A task that has been created and has not run yet.
///
/// Swift copies task-local values when it creates a task, and offers no other way to keep them. An operation may have
/// to start later from a thread without these values, for example after a deadline. For that, a task is created
/// beforehand on an executor that keeps its job. Running the job later, on the calling thread, runs `body` with those
/// values and that priority; no thread is woken for it.
///
/// `@unchecked` for `job` and `body`. The job is set while the task is created, on that thread. Afterwards, only the
/// one call of ``run(_:)`` or ``discard()`` touches both, and its caller takes the parked task from behind a lock.
final class ParkedTask: TaskExecutor, @unchecked Sendable {
  private var job: UnownedJob?
  private var body: (@Sendable () -> Void)?

  // The body is nonisolated and has no suspension point, so that it is one job and ends within `run`.

  /// A task with the task-local values and the priority of this thread.
  init() { Task(executorPreference: self) { self.body?() } }

  /// A task without task-local values.
  init(priority: TaskPriority) { Task.detached(executorPreference: self, priority: priority) { self.body?() } }

  func enqueue(_ job: consuming ExecutorJob) { self.job = UnownedJob(job) }

  /// Runs `body` as the task, on this thread.
  ///
  /// Call either this or ``discard()``, exactly once; otherwise the task never ends.
  func run(_ body: @escaping @Sendable () -> Void) {
    self.body = body
    discard()
    self.body = nil
  }

  /// Ends the task without running anything in it.
  func discard() { job.take()?.runSynchronously(on: asUnownedTaskExecutor()) }
}
