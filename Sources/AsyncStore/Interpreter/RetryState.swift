/// The state of a fiber that retries an effect or an operation.
///
/// Always present in a ``RareState``, and active during a retry. Its fields change one by one: moving or releasing so
/// large a generic value as a whole goes through its value witness table, which cost an order of three steps 1,300
/// instructions more.
struct RetryState<P: Program> {
  /// The effect to try, or `nil` for the fiber's own operation, and once the retry has been cancelled.
  var body: P?
  /// False if the fiber retries nothing, or does not any more.
  private(set) var isActive = false
  private(set) var plan = RetryPlan(schedule: .constant(.zero))
  /// Unique among retries and fibers.
  private(set) var number: UInt64 = 0
  private(set) var attemptNumber = 1
  private var begun = Moment.zero
  private var generator = SplitMix64(seed: 0)
  /// The error of the attempt before this one.
  var previousFailure: P.Failure?
  /// The error of the attempt, if it has failed.
  var failure: P.Failure?

  var attempt: Attempt<P.Failure> { Attempt(number: attemptNumber, previousFailure: previousFailure) }

  /// Begins the first attempt, when nothing is being retried.
  mutating func begin(
    _ plan: RetryPlan, _ body: consuming P?, number: UInt64, at now: Moment, _ generator: SplitMix64
  ) {
    (isActive, self.plan) = (true, plan)
    if let body { self.body = body }
    (self.number, attemptNumber, begun, self.generator) = (number, 1, now, generator)
  }

  /// Returns the delay after the attempt, which has failed, or `nil` to give up.
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

  /// Ends the retry, and hands over what it holds but its failure.
  ///
  /// - Returns: the failure of the last attempt.
  mutating func end(
    releasing released: inout UniqueArray<P>, _ failures: inout UniqueArray<P.Failure>
  ) -> P.Failure? {
    if let body = body.take() { released.append(body) }
    if let earlier = previousFailure.take() { failures.append(earlier) }
    isActive = false
    return failure.take()
  }
}
