/// The rule for when to retry a failed effect: it gives the delay after each failed attempt, or gives up.
///
/// Use it with ``AsyncStore/Effect/retry(_:seed:while:file:line:)``. Start from ``constant(_:)``,
/// ``linear(first:step:)``, ``exponential(first:factor:)`` or ``fibonacci(first:)``, then limit it; a schedule without
/// a limit never gives up.
///
/// ```swift
/// let schedule = RetrySchedule.exponential(first: .milliseconds(100))
///   .limitedTo(attempts: 5)
///   .capped(at: .seconds(2))
///   .jittered(by: 0.2)
/// var generator = SplitMix64(seed: 1)
/// let delay = schedule.delay(afterAttempt: 5, elapsed: .zero, using: &generator)
/// // delay == nil
/// ```
///
/// A schedule holds no state: the same attempt number, elapsed time and random numbers give the same delay.
public struct RetrySchedule: Hashable, Sendable {
  private enum Rule: Hashable, Sendable {
    case constant(Moment.Span)
    case linear(first: Moment.Span, step: Moment.Span)
    case exponential(first: Moment.Span, factor: Double)
    case fibonacci(first: Moment.Span)
    indirect case elapsed(Moment.Span, Rule)
    indirect case cap(Moment.Span, Rule)
    indirect case jitter(Double, Rule)
    indirect case union(RetrySchedule, RetrySchedule)
    indirect case intersection(RetrySchedule, RetrySchedule)
  }

  private let rule: Rule
  /// The maximum number of attempts.
  ///
  /// Not a rule, because its position among the rules makes no difference. So the usual schedule, a back-off with this
  /// limit, allocates nothing.
  private var maximumAttempts = Int.max

  // MARK: Delays

  /// Waits the same time after each failure.
  ///
  /// - Parameter delay: the time to wait; below zero counts as zero.
  public static func constant(_ delay: Duration) -> RetrySchedule {
    RetrySchedule(rule: .constant(span(delay)))
  }

  /// Waits `first` after the first failure, and `step` longer after each later one.
  ///
  /// - Parameters:
  ///   - first: the first time to wait; below zero counts as zero.
  ///   - step: the growth of the time to wait; below zero counts as zero.
  public static func linear(first: Duration, step: Duration) -> RetrySchedule {
    RetrySchedule(rule: .linear(first: span(first), step: span(step)))
  }

  /// Waits `first` after the first failure, and `factor` times as long after each later one as before.
  ///
  /// - Parameters:
  ///   - first: the first time to wait; below zero counts as zero.
  ///   - factor: at least 1 and finite; anything else traps.
  public static func exponential(first: Duration, factor: Double = 2) -> RetrySchedule {
    trap(unless: factor >= 1 && factor.isFinite, "A back-off's factor must be at least 1 and finite, not \(factor).")
    return RetrySchedule(rule: .exponential(first: span(first), factor: factor))
  }

  /// Waits `first` twice, and then the sum of the two previous delays: 1, 1, 2, 3, 5 and so on, times `first`.
  public static func fibonacci(first: Duration) -> RetrySchedule {
    RetrySchedule(rule: .fibonacci(first: span(first)))
  }

  // MARK: Limits

  /// Makes at most `count` attempts in all, including the first one.
  ///
  /// - Parameter count: at least 1, which retries nothing, otherwise traps.
  public func limitedTo(attempts count: Int) -> RetrySchedule {
    trap(unless: count > 0, "A schedule must make at least 1 attempt, not \(count). With 1 it retries nothing.")
    return RetrySchedule(rule: rule, maximumAttempts: min(count, maximumAttempts))
  }

  /// Gives up when the next attempt would begin later than `duration` after the first one began.
  ///
  /// Only this schedule's delay counts. To limit a ``union(_:)`` or an ``intersection(_:)``, limit the result and not a
  /// part.
  ///
  /// - Parameter duration: below zero counts as zero.
  public func limitedTo(elapsed duration: Duration) -> RetrySchedule {
    with(.elapsed(Self.span(duration), rule))
  }

  /// Waits no longer than `maximum` after any failure.
  public func capped(at maximum: Duration) -> RetrySchedule {
    with(.cap(Self.span(maximum), rule))
  }

  /// Varies each delay evenly by up to `fraction` of itself in both directions, so that clients that failed together
  /// don't retry together.
  ///
  /// The result keeps the schedule's existing time limits: where `fraction` would exceed one, the delay varies evenly
  /// up to it.
  ///
  /// - Parameter fraction: from 0 to 1; anything else traps.
  public func jittered(by fraction: Double) -> RetrySchedule {
    trap(unless: (0...1).contains(fraction), "Jitter must be a fraction from 0 to 1, not \(fraction).")
    return with(.jitter(fraction, rule))
  }

  private func with(_ rule: Rule) -> RetrySchedule { RetrySchedule(rule: rule, maximumAttempts: maximumAttempts) }

  // MARK: Composition

  /// Retries while either schedule does, after the shorter of their delays.
  public func union(_ other: RetrySchedule) -> RetrySchedule {
    RetrySchedule(rule: .union(self, other))
  }

  /// Retries only while both schedules do, after the longer of their delays.
  public func intersection(_ other: RetrySchedule) -> RetrySchedule {
    RetrySchedule(rule: .intersection(self, other))
  }

  /// Returns the delay after the failure of the attempt with this number.
  ///
  /// - Parameters:
  ///   - attempt: the number of the attempt that failed, from 1; smaller values trap.
  ///   - elapsed: the time since the first attempt began.
  ///   - generator: the generator of the jitter's random numbers.
  /// - Returns: the time to wait, or `nil` to give up.
  public func delay(
    afterAttempt attempt: Int, elapsed: Duration, using generator: inout some RandomNumberGenerator
  ) -> Duration? {
    trap(unless: attempt > 0, "The number of an attempt must be at least 1, not \(attempt).")
    return delay(afterAttempt: attempt, elapsed: elapsed.nanosecondsRoundedUp, using: &generator)
      .map { .nanoseconds($0) }
  }

  func delay(
    afterAttempt attempt: Int, elapsed: Moment.Span, using generator: inout some RandomNumberGenerator
  ) -> Moment.Span? {
    boundedDelay(attempt, elapsed, &generator)?.span
  }

  /// A delay and its upper bound.
  private struct Delay {
    var span: Moment.Span
    var bound = Moment.Span.max

    func bounded(by limit: Moment.Span) -> Delay { Delay(span: min(span, limit), bound: min(bound, limit)) }

    func jittered(by fraction: Double, using generator: inout some RandomNumberGenerator) -> Delay {
      let longest = min(Double(span) * (1 + fraction), Double(bound))
      let span = clamped(Double.random(in: (Double(span) * (1 - fraction))...longest, using: &generator))
      // The rounded floating-point number may exceed its bound.
      return Delay(span: min(span, bound), bound: bound)
    }
  }

  private func boundedDelay(
    _ attempt: Int, _ elapsed: Moment.Span, _ generator: inout some RandomNumberGenerator
  ) -> Delay? {
    attempt < maximumAttempts || maximumAttempts == .max ? Self.delay(rule, attempt, elapsed, &generator) : nil
  }

  private static func delay(
    _ rule: Rule, _ attempt: Int, _ elapsed: Moment.Span, _ generator: inout some RandomNumberGenerator
  ) -> Delay? {
    switch rule {
    case .constant(let span):
      return Delay(span: span)
    case .linear(let first, let step):
      return Delay(span: clamped(Double(first) + Double(step) * Double(attempt - 1)))
    case .exponential(let first, let factor):
      return Delay(span: clamped(Double(first) * power(factor, attempt - 1)))
    case .fibonacci(let first):
      return Delay(span: clamped(Double(first) * fibonacci(attempt)))
    case .elapsed(let limit, let rule):
      guard let delay = delay(rule, attempt, elapsed, &generator) else { return nil }
      // A clock may run backwards.
      let rest = limit.subtractingReportingOverflow(max(elapsed, 0)).partialValue
      return rest >= delay.span ? delay.bounded(by: rest) : nil
    case .cap(let limit, let rule):
      return delay(rule, attempt, elapsed, &generator)?.bounded(by: limit)
    case .jitter(let fraction, let rule):
      return delay(rule, attempt, elapsed, &generator)?.jittered(by: fraction, using: &generator)
    case .union(let left, let right):
      // Both are evaluated, so that the random numbers don't depend on which of them gives up.
      let delays = (left.boundedDelay(attempt, elapsed, &generator), right.boundedDelay(attempt, elapsed, &generator))
      guard let first = delays.0, let second = delays.1 else { return delays.0 ?? delays.1 }
      return Delay(span: min(first.span, second.span), bound: max(first.bound, second.bound))
    case .intersection(let left, let right):
      let delays = (left.boundedDelay(attempt, elapsed, &generator), right.boundedDelay(attempt, elapsed, &generator))
      guard let first = delays.0, let second = delays.1 else { return nil }
      // One schedule's delay may exceed the other's bound.
      let bound = max(min(first.bound, second.bound), max(first.span, second.span))
      return Delay(span: max(first.span, second.span), bound: bound)
    }
  }

  private static func span(_ duration: Duration) -> Moment.Span { max(0, duration.nanosecondsRoundedUp) }

  private static func clamped(_ nanoseconds: Double) -> Moment.Span {
    // Zero times infinity, for a zero delay that grows without bound, is not a number.
    if nanoseconds.isNaN { return 0 }
    return nanoseconds >= Double(Moment.Span.max) ? .max : max(0, Moment.Span(nanoseconds.rounded(.up)))
  }

  private static func power(_ factor: Double, _ exponent: Int) -> Double {
    var (result, base, remaining) = (1.0, factor, exponent)
    while remaining > 0 {
      if remaining & 1 == 1 { result *= base }
      base *= base
      remaining >>= 1
    }
    return result
  }

  private static func fibonacci(_ index: Int) -> Double {
    var (current, next) = (1.0, 1.0)
    // Beyond this index, the delay exceeds any clock.
    for _ in 1..<max(1, min(index, 1_000)) { (current, next) = (next, current + next) }
    return current
  }
}
