import CAsyncStoreTesting

/// The settings for explorations, from environment variables.
struct ExplorationEnvironment: Sendable {
  /// The schedule to replay instead of exploring.
  var schedule: String?
  /// The minimum number of seeds to try.
  var seeds: Int?
  /// True if failing schedules are kept, and tried first in later runs.
  var keepsSchedules = false
  /// The mistakes in the variables, in words; if there are any, every exploration fails.
  var mistakes: [String] = []

  static let scheduleVariable = "ASYNCSTORE_SCHEDULE"
  static let seedsVariable = "ASYNCSTORE_SEEDS"
  static let keepVariable = "ASYNCSTORE_KEEP"

  /// The settings of this process.
  static let process = ExplorationEnvironment(variable)

  init() {}

  /// Reads the variables; an empty variable counts as not set.
  private init(_ variable: (String) -> String?) {
    schedule = variable(Self.scheduleVariable)?.trimmed
    if schedule?.isEmpty == true { schedule = nil }
    if let text = variable(Self.seedsVariable), !text.isEmpty {
      seeds = Int(text).flatMap { $0 > 0 ? $0 : nil }
      if seeds == nil {
        mistakes.append("\(Self.seedsVariable)='\(text)': This is no number of seeds from 1 to \(Int.max).")
      }
    }
    if let text = variable(Self.keepVariable), !text.isEmpty {
      keepsSchedules = text == "1"
      if !["0", "1"].contains(text) {
        mistakes.append("\(Self.keepVariable)='\(text)': This is neither 1, to keep schedules, nor 0.")
      }
    }
  }

  private static func variable(_ name: String) -> String? {
    asyncStoreTesting_environmentVariable(name).map { String(cString: $0) }
  }
}

extension String {
  /// The text without leading and trailing blanks and line breaks.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }) else { return "" }
    guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(self[first...last])
  }
}
