import Synchronization

/// A shutdown's wait for the end of a phase, which has a single result.
final class PhaseWait: Sendable {
  enum Outcome: Sendable {
    case rested, timedOut
    /// The store was activated meanwhile.
    case reactivated
    /// The store was deactivated meanwhile, with these effects in flight.
    case deactivated(InFlight)
  }

  private struct State {
    var result: Result<Outcome, any Error>?
    var waiter: UnsafeContinuation<Outcome, any Error>?
  }

  private let state = Mutex(State())

  /// Sets the result; only the first call counts.
  func resolve(_ result: Result<Outcome, any Error>) {
    let waiter = state.withLock { state in
      if state.result == nil { state.result = result }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }

  /// - Throws: `CancellationError` if the waiting task is cancelled first.
  func outcome() async throws -> Outcome {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (waiter: UnsafeContinuation<Outcome, any Error>) in
        let result = state.withLock { state in
          if state.result == nil { state.waiter = waiter }
          return state.result
        }
        if let result { waiter.resume(with: result) }
      }
    } onCancel: {
      resolve(.failure(CancellationError()))
    }
  }
}

/// A waiter for the end of a phase.
struct PhaseWaiter: Sendable {
  let wait: PhaseWait
  /// True to ignore timers, streams and bindings.
  let ignoresSources: Bool
}
