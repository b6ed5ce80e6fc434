/// The plan for retrying a failed effect or operation.
struct RetryPlan: Hashable, Sendable {
  var schedule: RetrySchedule
  /// The seed of the schedule's random numbers, or `nil` to use one from the machine.
  var seed: UInt64?
  /// True if the shell is asked about each error.
  var isConditional = false
}
