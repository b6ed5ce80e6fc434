/// The busy and idle times of the processor's cores since the machine started.
struct ProcessorCounters: Equatable, Sendable {
  /// The times of one core, or of all together, in ticks of any length.
  struct Ticks: Equatable, Sendable {
    var busy: Double
    var idle: Double

    /// Returns the busy share of the time since `earlier`, from 0 to 1; 0 if no time has passed.
    func use(since earlier: Ticks) -> Double {
      // Kernels are known to take idle ticks back, so a difference below zero counts as zero.
      let busy = max(0, busy - earlier.busy)
      let idle = max(0, idle - earlier.idle)
      return busy + idle > 0 ? busy / (busy + idle) : 0
    }
  }

  var total: Ticks
  /// The times of each core by its number; a core that is switched off is missing.
  var cores: [Int: Ticks] = [:]

  /// Returns the use of the time since `earlier`.
  func use(since earlier: ProcessorCounters) -> ProcessorUse {
    ProcessorUse(
      total: total.use(since: earlier.total),
      cores: cores.sorted { $0.key < $1.key }.map { number, ticks in
        ticks.use(since: earlier.cores[number] ?? ticks)
      }
    )
  }
}

/// The use of the processor over an interval, each value from 0 to 1.
struct ProcessorUse: Equatable, Sendable {
  var total: Double
  var cores: [Double]
}
