import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration = .zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Instant
    let continuation: UnsafeContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant()
    var lastID = 0
    /// In the order of their deadlines; equal ones in the order in which they came.
    var sleepers: [Sleeper] = []
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  /// How many sleep now.
  ///
  /// A store has at most one alarm.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// When the first sleeper wants to be woken.
  var earliestDeadline: Instant? { state.withLock { $0.sleepers.first?.deadline } }

  func set(to instant: Instant) {
    state.withLock { $0.now = max($0.now, instant) }
  }

  /// Wakes the first sleeper if its deadline has come.
  ///
  /// - Returns: whether there was one.
  func wakeNext() -> Bool {
    let due = state.withLock { state -> Sleeper? in
      guard let first = state.sleepers.first, first.deadline <= state.now else { return nil }
      return state.sleepers.removeFirst()
    }
    due?.continuation.resume()
    return due != nil
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        let isLate = state.withLock { state in
          // A task that is cancelled from here on finds its sleeper in the list.
          if Task.isCancelled { return true }
          let index = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
          state.sleepers.insert(Sleeper(id: id, deadline: deadline, continuation: continuation), at: index)
          return false
        }
        if isLate { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
