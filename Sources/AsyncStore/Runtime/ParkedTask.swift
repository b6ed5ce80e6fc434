import Synchronization

/// A task that has been created and not yet run.
///
/// Swift copies task-local values when it creates a task and offers no other way to keep them. So where an operation may have
/// to start later from a thread that knows nothing of them, behind a deadline for one, a task is created beforehand on an executor
/// that keeps its job. Running the job later, right on the calling thread, runs `body` with those values and that priority;
/// no thread is woken for it.
final class ParkedTask: TaskExecutor {
  private struct State {
    var job: UnownedJob?
    var body: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  init() {
    // The body is nonisolated and has no suspension point, so that it is one job and ends within `run`.
    Task(executorPreference: self) { self.perform() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.job = job }
  }

  /// Runs `body` as the task, on this thread.
  ///
  /// Has to be called exactly once, or the task would never end.
  func run(_ body: @escaping @Sendable () -> Void) {
    let job = state.withLock { state in
      state.body = body
      defer { state.job = nil }
      return state.job
    }
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }

  private func perform() {
    let body = state.withLock { state in
      defer { state.body = nil }
      return state.body
    }
    body?()
  }
}
