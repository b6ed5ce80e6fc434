import Synchronization

/// A clock that stands still until the test moves it.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var time: Duration

    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private struct Sleeper {
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct Timetable {
    var now = Instant(time: .zero)
    var sleepers: [Int: Sleeper] = [:]
    /// The sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
    var lastSleep = 0
  }

  private let timetable = Mutex(Timetable())

  var now: Instant { timetable.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  /// Moves the time on, and wakes whoever has slept long enough.
  func advance(by duration: Duration) {
    let awake = timetable.withLock { timetable in
      timetable.now = timetable.now.advanced(by: duration)
      let awake = timetable.sleepers.filter { $0.value.deadline <= timetable.now }
      for number in awake.keys { timetable.sleepers[number] = nil }
      return awake.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in awake { sleeper.continuation.resume() }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = timetable.withLock { timetable in
      timetable.lastSleep += 1
      return timetable.lastSleep
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = timetable.withLock { timetable in
          if timetable.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if deadline <= timetable.now { return .success(()) }
          timetable.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = timetable.withLock { timetable in
        let sleeper = timetable.sleepers.removeValue(forKey: number)
        if sleeper == nil { timetable.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
