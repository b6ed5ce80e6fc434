import Synchronization

// The waits of `Simulation.eventually`.
extension Scheduler {
  /// Begins a call of `eventually`; from here on, the schedule is fair until the last call has finished.
  func beginLivenessCall(within duration: Duration, rounds: Int) -> UInt64 {
    state.withLock { $0.livenessCalls.begin(until: $0.now.advanced(by: duration), rounds: rounds) }
  }

  func finishLivenessCall(_ id: UInt64) { state.withLock { $0.livenessCalls.finish(id) } }

  /// Waits until a call of `eventually` evaluates its condition again, or fails, or its task is cancelled.
  func waitForTurn(_ id: UInt64) async -> LivenessCalls.Answer {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let hasEnded = state.withLock { state in
          // A cancellation handler that runs from here on finds the call waiting.
          if state.isAbandoned || state.isOver || Task.isCancelled { return true }
          state.livenessCalls.wait(id, isAnythingRunnable: state.runnable.count > 0, continuation)
          return false
        }
        if hasEnded { continuation.resume(returning: .ended) }
      }
    } onCancel: {
      state.withLock { $0.livenessCalls.cancel(id) }?.resume()
    }
  }

  /// Lets time pass for the waiting calls, up to the next thing that happens by itself.
  ///
  /// - Parameter end: the earliest end of the calls. If nothing happens until then, the call with that end fails.
  func passForLiveness(until end: Instant, _ state: inout State) -> Step? {
    let deadline = state.sleepers.earliestDeadline
    var target = state.advances.lazy.filter { !$0.isOpen }.map(\.target).min()
    // If nothing else can happen, a call that waits until nobody sleeps any more returns at once.
    if target == nil, deadline == nil, !state.advances.isEmpty { target = state.now }
    guard let next = [deadline, target].compactMap(\.self).min(), next <= end else {
      return state.livenessCalls.failFirst().map { .asked([$0]) }
    }
    if let target, target == next { return advance(&state) }
    if let wake = state.sleepers.earliestWake, wake <= next { return pass(to: wake, &state) }
    if let step = pass(to: next, &state) { return step }
    // Sleepers may be late, but not for calls of `eventually`.
    _ = state.sleepers.hurry(dueBy: state.now)
    return nil
  }
}
