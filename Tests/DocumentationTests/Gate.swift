import Synchronization

/// Holds operations until the test opens it, and tells the test when one has come to it.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Mutex(State())
  private let arrivals = AsyncStream.makeStream(of: Void.self)

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func pass() async throws {
    let (opening, continuation) = AsyncStream.makeStream(of: Void.self)
    state.withLock { state in
      if state.isOpen { continuation.finish() } else { state.waiting.append(continuation) }
    }
    arrivals.continuation.yield()
    for await _ in opening {}
    try Task.checkCancellation()
  }

  /// Waits until one more operation has come to the gate.
  func arrival() async {
    for await _ in arrivals.stream { return }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.finish() }
  }
}
