/// The state of the dashboard's store: the states of all the others side by side, and the alerts that follow from them.
struct Dashboard: Equatable, Sendable {
  var processor = ProcessorState()
  var memory = MemoryState()
  var load = LoadState()
  var disks = DisksState()
  var network = NetworkState()

  let rules: [AlertRule]
  /// The rules whose alerts are active.
  var alerts: [AlertRule] = []
  /// The reason why the dashboard could not be shown the last time.
  var displayFailure: String?

  init(rules: [AlertRule] = AlertRule.standard) {
    self.rules = rules
  }

  /// The known values of the metrics that alert rules watch.
  var metrics: [Metric: Double] {
    var metrics: [Metric: Double] = [:]
    metrics[.processorUse] = processor.use?.total
    metrics[.memoryUse] = memory.reading?.use
    metrics[.swapUse] = memory.reading?.swapUse
    metrics[.fullestFileSystemUse] = disks.fileSystems?.map(\.use).max()
    if let load = load.reading?.oneMinute, let cores = processor.use?.cores.count, cores > 0 {
      metrics[.loadPerCore] = load / Double(cores)
    }
    return metrics
  }

  /// The parts whose last reading failed, with the reasons.
  var failures: [(part: String, reason: String)] {
    [
      (ProcessorState.name, processor.failure),
      (MemoryState.name, memory.failure),
      (LoadState.name, load.failure),
      (DisksState.name, disks.failure),
      (NetworkState.name, network.failure),
      ("display", displayFailure),
    ].compactMap { part, failure in failure.map { (part, $0) } }
  }

  /// Updates the alerts by the current metrics.
  mutating func updateAlerts() {
    alerts = rules.active(before: alerts, given: metrics)
  }
}
