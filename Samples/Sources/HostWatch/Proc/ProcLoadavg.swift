extension LoadReading {
  /// Reads the text of `/proc/loadavg`, which is one line: `0.04 0.04 0.01 1/83 3017`.
  init(procLoadavg text: String) throws {
    let file = "/proc/loadavg"
    guard let line = ProcLine.lines(of: text, in: file).first else {
      throw HostError(code: .malformed, source: file, reason: "it is empty")
    }
    self.init(
      oneMinute: try line.number(0),
      fiveMinutes: try line.number(1),
      fifteenMinutes: try line.number(2)
    )
  }
}
