import Console

extension Dashboard {
  /// Returns the lines of the display for a terminal of the given size.
  func lines(width: Int, height: Int) -> [String] {
    // One line stays free for the cursor; a display that scrolls can't be drawn in place.
    rows.prefix(max(1, height - 1)).map { $0.line(width: width) }
  }

  /// The rows to show, from the top: failures first, as the bottom may be cut off.
  private var rows: [Row] {
    failureRows + [alertRow] + processorRows + memoryRows + [loadRow] + networkRows + diskRows
      + fileSystemRows
  }

  private var failureRows: [Row] {
    failures.map { Row(label: $0.part, text: "failed: \($0.reason)") }
  }

  private var alertRow: Row {
    Row(label: "alerts", text: alerts.isEmpty ? "none" : alerts.map(\.name).joined(separator: ", "))
  }

  private var processorRows: [Row] {
    let use = processor.use
    return [
      Row(
        label: "processor",
        drawing: .sparkline(processor.history.values, ceiling: 1),
        text: use.map { Units.percentage($0.total) } ?? Self.unknown
      ),
      Row(
        label: "cores",
        drawing: .sparkline(use?.cores ?? [], ceiling: 1),
        text: use.map { "\($0.cores.count)" } ?? Self.unknown
      ),
    ]
  }

  private var memoryRows: [Row] {
    guard let reading = memory.reading else { return [Row(label: "memory", text: Self.unknown)] }
    let used = Row(
      label: "memory",
      drawing: .sparkline(memory.history.values, ceiling: 1),
      text: "\(Units.percentage(reading.use)) of \(Units.bytes(reading.total))"
    )
    guard reading.swapTotal > 0 else { return [used] }
    let swap = Row(
      label: "swap",
      drawing: .bar(reading.swapUse),
      text: "\(Units.percentage(reading.swapUse)) of \(Units.bytes(reading.swapTotal))"
    )
    return [used, swap]
  }

  private var loadRow: Row {
    Row(
      label: "load",
      drawing: .sparkline(load.history.values, ceiling: nil),
      text: load.reading.map(Self.averages) ?? Self.unknown
    )
  }

  private static func averages(_ reading: LoadReading) -> String {
    [reading.oneMinute, reading.fiveMinutes, reading.fifteenMinutes].map(Units.load).joined(separator: " ")
  }

  private var networkRows: [Row] {
    [
      Self.rateRow("net received", network.traffic.incoming),
      Self.rateRow("net sent", network.traffic.outgoing),
    ]
  }

  private var diskRows: [Row] {
    [
      Self.rateRow("disk read", disks.traffic.incoming),
      Self.rateRow("disk written", disks.traffic.outgoing),
    ]
  }

  private var fileSystemRows: [Row] {
    (disks.fileSystems ?? []).map {
      Row(
        label: $0.mountPoint,
        drawing: .bar($0.use),
        text: "\(Units.bytes($0.free)) free of \(Units.bytes($0.total))"
      )
    }
  }

  private static func rateRow(_ label: String, _ history: History) -> Row {
    Row(
      label: label,
      drawing: .sparkline(history.values, ceiling: nil),
      text: history.values.last.map(Units.rate) ?? unknown
    )
  }

  private static let unknown = "–"
}
