/// The time after which the search stops.
struct TimeLimit: Sendable {
  typealias Now = @Sendable () -> ContinuousClock.Instant

  private let deadline: ContinuousClock.Instant
  private let now: Now

  init(_ duration: Duration, now: @escaping Now = { .now }) {
    deadline = now() + duration
    self.now = now
  }

  var isOver: Bool { now() >= deadline }
}
