/// An executor that runs its jobs when a simulation does, and not concurrently with other code.
package protocol SimulatedExecutor: TaskExecutor {
  /// True once no more time passes, so that sleepers were woken early, whatever clock they use.
  var hasEnded: Bool { get }

  /// Counts work that has taken the place of this many jobs, for the limit of jobs.
  func countJobs(_ count: Int)
}
