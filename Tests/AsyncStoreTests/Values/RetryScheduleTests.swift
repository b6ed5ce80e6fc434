import Testing

@testable import AsyncStore

@Suite("A retry schedule")
struct RetryScheduleTests {
  private func delays(_ schedule: RetrySchedule, count: Int = 6, elapsed: Duration = .zero, seed: UInt64 = 1)
    -> [Int64?]
  {
    var random = SplitMix64(seed: seed)
    return (1...count).map { attempt in
      schedule.delay(afterAttempt: attempt, elapsed: elapsed, using: &random).map { $0.nanosecondsRoundedUp }
    }
  }

  static let basics: [(RetrySchedule, [Int64?])] = [
    (.constant(.nanoseconds(7)), [7, 7, 7, 7, 7, 7]),
    (.constant(.nanoseconds(-7)), [0, 0, 0, 0, 0, 0]),
    (.linear(first: .nanoseconds(3), step: .nanoseconds(2)), [3, 5, 7, 9, 11, 13]),
    (.exponential(first: .nanoseconds(3)), [3, 6, 12, 24, 48, 96]),
    (.exponential(first: .nanoseconds(2), factor: 1.5), [2, 3, 5, 7, 11, 16]),
    (.fibonacci(first: .nanoseconds(2)), [2, 2, 4, 6, 10, 16]),
    (.constant(.nanoseconds(1)).limitedTo(attempts: 3), [1, 1, nil, nil, nil, nil]),
    (.constant(.nanoseconds(1)).limitedTo(attempts: 1), [nil, nil, nil, nil, nil, nil]),
    (.exponential(first: .nanoseconds(3)).capped(at: .nanoseconds(20)), [3, 6, 12, 20, 20, 20]),
    (
      RetrySchedule.constant(.nanoseconds(5)).limitedTo(attempts: 3)
        .union(.linear(first: .nanoseconds(4), step: .nanoseconds(2)).limitedTo(attempts: 5)),
      [4, 5, 8, 10, nil, nil]
    ),
    (
      RetrySchedule.constant(.nanoseconds(5)).limitedTo(attempts: 4)
        .intersection(.linear(first: .nanoseconds(4), step: .nanoseconds(2))),
      [5, 6, 8, nil, nil, nil]
    ),
  ]

  @Test("A retry schedule gives the delay after each attempt", arguments: basics)
  func delaysByTable(schedule: RetrySchedule, expected: [Int64?]) {
    #expect(delays(schedule) == expected)
  }

  @Test("A retry schedule gives up if the next attempt would begin too late")
  func limitedByElapsedTime() {
    let schedule = RetrySchedule.constant(.nanoseconds(5)).limitedTo(elapsed: .nanoseconds(12))
    #expect(delays(schedule, count: 1, elapsed: .nanoseconds(7)) == [5])
    #expect(delays(schedule, count: 1, elapsed: .nanoseconds(8)) == [nil])
    // A clock that runs backwards leaves all of the limit.
    let long = RetrySchedule.constant(.nanoseconds(5)).limitedTo(elapsed: .seconds(1e12))
    #expect(delays(long, count: 1, elapsed: .nanoseconds(-1)) == [5])
  }

  @Test("Jitter stays within its bounds", arguments: 0..<50)
  func law15_jitterBounds(seed: UInt64) {
    for delay in delays(.constant(.nanoseconds(1_000)).jittered(by: 0.25), count: 50, seed: seed) {
      #expect((750...1_250).contains(delay ?? -1))
    }
  }

  @Test("The same seed gives the same delays, and another seed gives others")
  func law15_seedDeterminism() {
    let schedule = RetrySchedule.exponential(first: .milliseconds(100)).jittered(by: 0.5).capped(at: .seconds(3))
    #expect(delays(schedule, count: 20, seed: 9) == delays(schedule, count: 20, seed: 9))
    #expect(delays(schedule, count: 20, seed: 9) != delays(schedule, count: 20, seed: 10))
  }

  @Test("A union draws the same random numbers, whichever side has given up")
  func unionDrawsBothSides() {
    let jittered = RetrySchedule.constant(.seconds(1)).jittered(by: 0.5)
    let long = delays(jittered.union(jittered), seed: 4)
    let short = delays(jittered.union(jittered.limitedTo(attempts: 7)), seed: 4)
    #expect(long == short)
  }

  @Test("A delay never overflows, however late the attempt")
  func saturates() {
    var random = SplitMix64(seed: 1)
    let schedules: [RetrySchedule] = [
      .exponential(first: .seconds(1)), .fibonacci(first: .seconds(1)),
      .linear(first: .seconds(1), step: .seconds(1 << 40)),
    ]
    for schedule in schedules {
      let delay = schedule.delay(afterAttempt: 1 << 40, elapsed: Moment.Span.max, using: &random)
      #expect(delay == .max)
    }
    let zero = RetrySchedule.exponential(first: .zero).delay(
      afterAttempt: 1 << 40, elapsed: Moment.Span(0), using: &random)
    #expect(zero == 0)
  }

  @Test("A jittered delay keeps the time limit")
  func law15_jitterKeepsLimits() {
    let schedule = RetrySchedule.constant(.seconds(4)).limitedTo(elapsed: .seconds(4)).jittered(by: 0.5)
    var generator = SplitMix64(seed: 1)
    let delays = (0..<20).compactMap { _ in schedule.delay(afterAttempt: 1, elapsed: .zero, using: &generator) }
    #expect(Set(delays).count > 5)
    #expect(delays.allSatisfy { $0 <= .seconds(4) })
  }
}
