import Synchronization

/// A result that comes once, and the one who waits for it.
final class Rest: Sendable {
  private struct State {
    var result: Result<Void, any Error>?
    var waiter: UnsafeContinuation<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Only the first result counts.
  func come(_ result: Result<Void, any Error>) {
    let waiter = state.withLock { state in
      if state.result == nil { state.result = result }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }

  /// - Throws: what came, or `CancellationError` if the waiting task is cancelled first.
  func value() async throws {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (waiter: UnsafeContinuation<Void, any Error>) in
        let result = state.withLock { state in
          if state.result == nil { state.waiter = waiter }
          return state.result
        }
        if let result { waiter.resume(with: result) }
      }
    } onCancel: {
      come(.failure(CancellationError()))
    }
  }
}
