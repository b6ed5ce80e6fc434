/// How long the processor's cores were busy and idle since the machine started.
struct ProcessorCounters: Equatable, Sendable {
  /// The times of one core, or of all together, in ticks of any length.
  struct Ticks: Equatable, Sendable {
    var busy: Double
    var idle: Double

    /// The share of the time since `earlier` that was busy, from 0 to 1; 0 where no time has passed.
    func use(since earlier: Ticks) -> Double {
      // Kernels are known to take idle ticks back, so no difference counts below zero.
      let busy = max(0, busy - earlier.busy)
      let idle = max(0, idle - earlier.idle)
      return busy + idle > 0 ? busy / (busy + idle) : 0
    }
  }

  var total: Ticks
  /// By number: a core that is switched off is missing.
  var cores: [Int: Ticks] = [:]

  /// The use of the time since `earlier`.
  func use(since earlier: ProcessorCounters) -> ProcessorUse {
    ProcessorUse(
      total: total.use(since: earlier.total),
      cores: cores.sorted { $0.key < $1.key }.map { number, ticks in
        ticks.use(since: earlier.cores[number] ?? ticks)
      }
    )
  }
}

/// How busy the processor was over an interval, each from 0 to 1.
struct ProcessorUse: Equatable, Sendable {
  var total: Double
  var cores: [Double]
}
