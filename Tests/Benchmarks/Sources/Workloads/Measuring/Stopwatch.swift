import InstructionCounter

/// Measures wall time, and instructions where the program counts them.
package struct Stopwatch {
  private let start: ContinuousClock.Instant

  package init() {
    instruction_counter_begin()
    start = .now
  }

  var elapsed: Duration { start.duration(to: .now) }

  package func nanoseconds(per count: Int) -> Double {
    let time = elapsed
    instruction_counter_end()
    return time.nanoseconds / Double(count)
  }
}

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
