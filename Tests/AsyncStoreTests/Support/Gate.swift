import Synchronization

/// A gate at which operations wait until the test opens it.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var arrivals = 0
    var lastID = 0
    var waiters: [(id: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
  }

  private let state = Mutex(State())

  /// The number of arrivals so far.
  var arrivals: Int { state.withLock { $0.arrivals } }
  /// The number of operations that wait now.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Waits for the gate to open, cancelled or not.
  func wait() async {
    let id = reserveID()
    _ = await withUnsafeContinuation { admit($0, as: id, unlessCancelled: false) }
  }

  /// Waits for the gate to open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func waitUnlessCancelled() async throws {
    let id = reserveID()
    let hasOpened = await withTaskCancellationHandler {
      await withUnsafeContinuation { admit($0, as: id, unlessCancelled: true) }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
    if !hasOpened { throw CancellationError() }
  }

  /// Lets all operations pass, those that wait and those that come later.
  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: true) }
  }

  /// Lets the operation pass that has waited longest.
  func letOnePass() {
    let waiter = state.withLock { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() }
    waiter?.continuation.resume(returning: true)
  }

  private func reserveID() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  private func admit(_ continuation: UnsafeContinuation<Bool, Never>, as id: Int, unlessCancelled: Bool) {
    let answer: Bool? = state.withLock { state in
      state.arrivals += 1
      if state.isOpen { return true }
      if unlessCancelled, Task.isCancelled { return false }
      state.waiters.append((id, continuation))
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }
}

/// A sequence without elements that ends with a gate, cancelled or not.
struct GatedSequence: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let gate: Gate

  func makeAsyncIterator() -> Self { self }

  func next() async -> Int? {
    await gate.wait()
    return nil
  }
}
