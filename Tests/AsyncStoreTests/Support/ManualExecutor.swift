import Synchronization

/// Keeps jobs until a test runs them, one after the other, on its own thread: what has not run yet is known at any time.
final class ManualExecutor: TaskExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    var first = 0
  }

  private let queue = Mutex(Queue())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.withLock { $0.jobs.append(job) }
  }

  /// How many jobs could run now.
  var count: Int { queue.withLock { $0.jobs.count - $0.first } }

  /// Runs jobs until there are none, those included that come meanwhile.
  func drain() {
    while runNext() {}
  }

  /// Runs the oldest job.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  func runNext() -> Bool {
    let job = queue.withLock { queue -> UnownedJob? in
      guard queue.first < queue.jobs.count else {
        queue.jobs.removeAll(keepingCapacity: true)
        queue.first = 0
        return nil
      }
      defer { queue.first += 1 }
      return queue.jobs[queue.first]
    }
    job?.runSynchronously(on: asUnownedTaskExecutor())
    return job != nil
  }
}
