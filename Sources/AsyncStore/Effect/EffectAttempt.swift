/// One attempt of an operation that is retried.
public struct EffectAttempt: Sendable, CustomStringConvertible {
  /// The number of the attempt, from 1.
  public let number: Int
  /// The error of the previous attempt; `nil` for the first one.
  public let previousError: (any Error)?

  init(_ attempt: Attempt<any Error>) {
    number = attempt.number
    previousError = attempt.previousFailure
  }

  /// The number and the error in a few words, such as `attempt 2, after timedOut`.
  public var description: String { "attempt \(number)" + (previousError.map { ", after \($0)" } ?? "") }
}
