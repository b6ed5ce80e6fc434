/// The limits beyond which a simulation counts as endless.
public struct SimulationLimits: Sendable {
  /// The number of jobs after which the schedule becomes fair.
  ///
  /// After a tenth more, the simulation fails as a runaway.
  ///
  /// A job is the part of a task between two suspensions; see ``Simulation/jobCount``. A job that continues this many
  /// times at an `await` without letting anything else run also fails as a runaway, where the simulation sees it.
  public var jobs: Int
  /// The maximum virtual time that may pass.
  public var time: Duration

  /// Creates limits, by default a million jobs and a year.
  public init(jobs: Int = 1_000_000, time: Duration = .seconds(366 * 86_400)) {
    self.jobs = jobs
    self.time = time
  }
}
