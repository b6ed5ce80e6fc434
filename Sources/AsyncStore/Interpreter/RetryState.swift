/// The state of a fiber that retries an effect or an operation.
struct RetryState<P: Program> {
  /// The effect to try, or `nil` for the fiber's own operation, and once the retry has been cancelled.
  var body: P?
  let plan: RetryPlan
  /// Unique among retries and fibers.
  let number: UInt64
  var attempt = Attempt<P.Failure>(number: 1)
  let begun: Moment
  var generator: SplitMix64
  /// The error of the attempt, if it has failed.
  var failure: P.Failure?

  /// Returns the delay after the attempt, which has failed, or `nil` to give up.
  mutating func delay(at now: Moment) -> Moment.Span? {
    plan.schedule.delay(afterAttempt: attempt.number, elapsed: begun.distance(to: now), using: &generator)
  }

  /// Moves on to the next attempt.
  ///
  /// - Returns: the error of the attempt before the last one.
  mutating func beginNextAttempt() -> P.Failure? {
    let earlier = attempt.previousFailure.take()
    attempt = Attempt(number: attempt.number + 1, previousFailure: failure.take())
    return earlier
  }
}

/// One attempt of a retry.
struct Attempt<Failure> {
  /// The number of the attempt, from 1.
  var number: Int
  var previousFailure: Failure?
}

extension Attempt: Equatable where Failure: Equatable {}
