/// Measures wall time.
struct Stopwatch {
  private let start = ContinuousClock.now

  var elapsed: Duration { start.duration(to: .now) }

  func nanoseconds(per count: Int) -> Double { elapsed.nanoseconds / Double(count) }
}

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
