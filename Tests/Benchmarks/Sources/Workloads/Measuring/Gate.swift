import Synchronization

/// Opens once; one task waits for it.
final class Gate: Sendable {
  private enum State {
    case closed
    case awaited(UnsafeContinuation<Void, Never>)
    case open
  }

  private let state = Mutex(State.closed)

  func open() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      defer { state = .open }
      if case .awaited(let waiter) = state { return waiter }
      return nil
    }
    waiter?.resume()
  }

  func opened() async {
    await withUnsafeContinuation { waiter in
      let isOpen = state.withLock { state in
        if case .open = state { return true }
        state = .awaited(waiter)
        return false
      }
      if isOpen { waiter.resume() }
    }
  }
}
