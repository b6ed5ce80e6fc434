/// The state of a fiber that retries an effect or an operation.
///
/// Always present in a ``RareState``, and active during a retry. The fields change one by one: moving or releasing so
/// large a generic value as a whole goes through its value witness table, which cost an order of three steps 1,300
/// instructions more.
struct RetryState<P: Program> {
  /// The effect to try; `nil` for the fiber's own operation, or once the retry has been cancelled.
  var body: P?
  /// False if the fiber is not retrying.
  private(set) var isActive = false
  private(set) var plan = RetryPlan(schedule: .constant(.zero))
  /// Unique among retries and fibers.
  private(set) var number: UInt64 = 0
  private(set) var attemptNumber = 1
  private var begun = Moment.zero
  private var generator = SplitMix64(seed: 0)
  /// The error of the previous attempt.
  var previousFailure: P.Failure?
  /// The error of the current attempt, if it has failed.
  var failure: P.Failure?

  var attempt: Attempt<P.Failure> { Attempt(number: attemptNumber, previousFailure: previousFailure) }

  /// Begins the first attempt; no retry may be active.
  mutating func begin(
    _ plan: RetryPlan, _ body: consuming P?, number: UInt64, at now: Moment, _ generator: SplitMix64
  ) {
    (isActive, self.plan) = (true, plan)
    if let body { self.body = body }
    (self.number, attemptNumber, begun, self.generator) = (number, 1, now, generator)
  }

  /// Returns the delay after the failed attempt, or `nil` to give up.
  mutating func delay(at now: Moment) -> Moment.Span? {
    plan.schedule.delay(afterAttempt: attemptNumber, elapsed: begun.distance(to: now), using: &generator)
  }

  /// Moves on to the next attempt.
  ///
  /// - Returns: the error of the attempt before the last one.
  mutating func beginNextAttempt() -> P.Failure? {
    let earlier = previousFailure.take()
    (attemptNumber, previousFailure) = (attemptNumber + 1, failure.take())
    return earlier
  }

  /// Ends the retry, and hands over its contents except the failure.
  ///
  /// - Returns: the failure of the last attempt.
  mutating func end(to released: inout ReleasedParts<P>) -> P.Failure? {
    if let body = body.take() { released.append(body) }
    if let earlier = previousFailure.take() { released.append(failure: earlier) }
    isActive = false
    return failure.take()
  }
}
