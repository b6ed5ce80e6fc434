/// The load averages: the number of threads that ran or waited to run, over the last 1, 5 and 15 minutes.
struct LoadReading: Equatable, Sendable {
  var oneMinute: Double
  var fiveMinutes: Double
  var fifteenMinutes: Double
}
