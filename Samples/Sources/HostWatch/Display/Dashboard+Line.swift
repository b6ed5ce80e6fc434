import Console

extension Dashboard {
  /// The dashboard in one line, for a log.
  var line: String {
    let known: [(part: String, text: String?)] = [
      ("processor", processor.use.map { Units.percentage($0.total) }),
      ("memory", memory.reading.map { Units.percentage($0.use) }),
      ("load", load.reading.map { Units.load($0.oneMinute) }),
      ("disk read", rate(disks.traffic.incoming)),
      ("disk written", rate(disks.traffic.outgoing)),
      ("net received", rate(network.traffic.incoming)),
      ("net sent", rate(network.traffic.outgoing)),
      ("alerts", alerts.isEmpty ? "none" : alerts.map(\.name).joined(separator: ", ")),
    ]
    let failed = failures.map { "\($0.part) failed: \($0.reason)" }
    return (known.map { "\($0.part) \($0.text ?? "–")" } + failed).joined(separator: " | ")
  }

  private func rate(_ history: History) -> String? {
    history.values.last.map(Units.rate)
  }
}
