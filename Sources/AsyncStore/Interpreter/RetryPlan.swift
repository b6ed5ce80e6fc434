/// The plan for trying a failed effect or operation again.
struct RetryPlan: Hashable, Sendable {
  var schedule: RetrySchedule
  /// The seed of the schedule's random numbers, or `nil` for one of the machine's own.
  var seed: UInt64?
  /// True if the shell is asked about each error.
  var isConditional = false
}
