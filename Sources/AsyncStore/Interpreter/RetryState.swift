/// The state of a fiber that retries an effect or an operation.
final class RetryState<P: Program> {
  /// The effect to try, or `nil` for the fiber's own operation, and once the retry has been cancelled.
  var body: P?
  var plan: RetryPlan
  /// Unique among retries and fibers.
  var number: UInt64
  var attempt = Attempt<P.Failure>(number: 1)
  var begun: Moment
  var generator: SplitMix64
  /// The error of the attempt, if it has failed.
  var failure: P.Failure?

  init(body: P?, plan: RetryPlan, number: UInt64, begun: Moment, generator: SplitMix64) {
    self.body = body
    self.plan = plan
    self.number = number
    self.begun = begun
    self.generator = generator
  }
}

/// One attempt of a retry.
struct Attempt<Failure> {
  /// The number of the attempt, from 1.
  var number: Int
  var previousFailure: Failure?
}

extension Attempt: Equatable where Failure: Equatable {}
