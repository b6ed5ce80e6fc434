/// A rule for when an alert is raised and cleared.
///
/// The two thresholds lie apart, so that a value that varies around one of them does not raise and clear the alert with
/// each reading (hysteresis).
struct AlertRule: Hashable, Sendable {
  var name: String
  var metric: Metric
  /// The alert is raised when the metric reaches this value.
  var raiseAt: Double
  /// It is cleared when the metric has fallen to this value.
  var clearAt: Double

  init(_ name: String, _ metric: Metric, raiseAt: Double, clearAt: Double) {
    precondition(clearAt <= raiseAt, "the alert \"\(name)\" would be cleared while it is raised")
    self.name = name
    self.metric = metric
    self.raiseAt = raiseAt
    self.clearAt = clearAt
  }

  /// The default rules.
  static let standard = [
    AlertRule("processor busy", .processorUse, raiseAt: 0.9, clearAt: 0.7),
    AlertRule("memory short", .memoryUse, raiseAt: 0.9, clearAt: 0.8),
    AlertRule("swapping", .swapUse, raiseAt: 0.5, clearAt: 0.4),
    AlertRule("overloaded", .loadPerCore, raiseAt: 2, clearAt: 1.5),
    AlertRule("disk nearly full", .fullestFileSystemUse, raiseAt: 0.95, clearAt: 0.9),
  ]
}

extension Sequence<AlertRule> {
  /// Returns the rules whose alerts are active, given the active ones before and the current metrics.
  ///
  /// A metric that cannot be measured at the moment leaves its alert as it was.
  func active(before: [AlertRule], given metrics: [Metric: Double]) -> [AlertRule] {
    filter { rule in
      let wasActive = before.contains(rule)
      guard let value = metrics[rule.metric] else { return wasActive }
      return value >= rule.raiseAt || (wasActive && value > rule.clearAt)
    }
  }
}
