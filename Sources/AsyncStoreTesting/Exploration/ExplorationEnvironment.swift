import CAsyncStoreTesting

/// The settings for explorations from environment variables.
struct ExplorationEnvironment: Sendable {
  /// The schedule to replay instead of exploring.
  var schedule: String?
  /// The least number of seeds to try.
  var seeds: Int?
  /// True if failing schedules are kept, and tried first from then on.
  var keepsSchedules = false

  static let scheduleVariable = "ASYNCSTORE_SCHEDULE"
  static let seedsVariable = "ASYNCSTORE_SEEDS"
  static let keepVariable = "ASYNCSTORE_KEEP"

  /// The settings of this process.
  static let process = ExplorationEnvironment(
    schedule: variable(scheduleVariable), seeds: variable(seedsVariable).flatMap { Int($0) },
    keepsSchedules: variable(keepVariable) != nil)

  private static func variable(_ name: String) -> String? {
    asyncStoreTesting_environmentVariable(name).map { String(cString: $0) }
  }
}
