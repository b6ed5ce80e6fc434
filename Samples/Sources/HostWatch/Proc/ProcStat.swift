extension ProcessorCounters {
  /// Reads the text of `/proc/stat`.
  ///
  /// ```
  /// cpu  2454 0 1695 461851 359 0 16 11 0 0
  /// cpu0 913 0 876 231234 4 0 6 5 0 0
  /// ```
  /// The fields are user, nice, system, idle, iowait, irq, softirq and steal; the rest is part of user and nice. Old
  /// kernels stop after idle.
  init(procStat text: String) throws {
    let file = "/proc/stat"
    var total: Ticks?
    var cores: [Int: Ticks] = [:]
    for line in ProcLine.lines(of: text, in: file) where line.fields[0].hasPrefix("cpu") {
      let number = line.fields[0].dropFirst("cpu".count)
      if number.isEmpty {
        total = try Ticks(line)
      } else if let core = Int(number) {
        cores[core] = try Ticks(line)
      }
    }
    guard let total else {
      throw HostError(code: .malformed, source: file, reason: "there is no line \"cpu\"")
    }
    self.init(total: total, cores: cores)
  }
}

extension ProcessorCounters.Ticks {
  fileprivate init(_ line: ProcLine) throws {
    let known = try (1...max(4, min(8, line.fields.count - 1))).map { Double(try line.count($0)) }
    // Waiting for a disk is idle time too: the core could have worked.
    let idle = known[3...].prefix(2).reduce(0, +)
    self.init(busy: known.reduce(0, +) - idle, idle: idle)
  }
}
