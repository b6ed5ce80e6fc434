extension MemoryReading {
  /// Reads the text of `/proc/meminfo`.
  ///
  /// ```
  /// MemTotal:       24684092 kB
  /// MemAvailable:   24384948 kB
  /// ```
  init(procMeminfo text: String) throws {
    let file = "/proc/meminfo"
    var sizes: [Substring: UInt64] = [:]
    for line in ProcLine.lines(of: text, in: file) where Self.keys.contains(line.fields[0]) {
      sizes[line.fields[0]] = try line.count(1, ofSize: 1024)
    }
    guard let total = sizes["MemTotal:"] else {
      throw HostError(code: .malformed, source: file, reason: "there is no line \"MemTotal:\"")
    }
    // Kernels before 3.14 leave the estimate to the reader.
    let estimate = ["MemFree:", "Buffers:", "Cached:"].reduce(UInt128(0)) { $0 + UInt128(sizes[$1] ?? 0) }
    self.init(
      total: total,
      available: sizes["MemAvailable:"] ?? UInt64(clamping: estimate),
      swapTotal: sizes["SwapTotal:"] ?? 0,
      swapFree: sizes["SwapFree:"] ?? 0
    )
  }

  private static let keys: Set<Substring> = [
    "MemTotal:", "MemAvailable:", "MemFree:", "Buffers:", "Cached:", "SwapTotal:", "SwapFree:",
  ]
}
