/// The jobs that may still run when a simulation is taken down, which bounds work that continues forever.
///
/// Each task may run some jobs of its own. Actors' turns, which may run any tasks, and tasks created meanwhile share
/// other jobs, and so do tasks that have used up their own.
struct LastJobs {
  /// A cancelled sleep may take ten, because a task that leaves an actor, or no actor, takes one each time.
  private static let maximumOfEach = 1_000

  private let newestTask: UInt64
  private var shared: Int
  private var counts: [UInt64: Int] = [:]

  /// - Parameters:
  ///   - newestTask: the highest number of a task that has jobs of its own.
  ///   - shared: the number of jobs that are shared.
  init(newestTask: UInt64, shared: Int) {
    self.newestTask = newestTask
    self.shared = shared
  }

  /// Takes a job; returns false if it may not run.
  mutating func take(_ job: RunnableJob) -> Bool {
    if job.task <= newestTask {
      let count = counts[job.task, default: 0]
      counts[job.task] = count + 1
      if count < Self.maximumOfEach { return true }
    }
    shared -= 1
    return shared >= 0
  }
}
