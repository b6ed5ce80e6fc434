/// When a simulation is taken for one that would never end.
public struct SimulationLimits: Sendable {
  /// The number of jobs after which the schedule becomes fair.
  ///
  /// After a tenth more the simulation fails as a runaway.
  ///
  /// A job is what a task does between two suspensions.
  public var jobs: Int
  /// How much virtual time passes at most.
  public var time: Duration

  /// Limits, by default a million jobs, and a year.
  public init(jobs: Int = 1_000_000, time: Duration = .seconds(366 * 86_400)) {
    self.jobs = jobs
    self.time = time
  }
}
