/// One attempt of a retry.
struct Attempt<Failure> {
  /// The number of the attempt, from 1.
  var number: Int
  var previousFailure: Failure?
}

extension Attempt: Equatable where Failure: Equatable {}
