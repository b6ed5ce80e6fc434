import Synchronization

/// A value that closures write and a test reads.
final class Note<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value { content.withLock { $0 } }

  func change(_ body: @Sendable (inout Value) -> Void) { content.withLock { body(&$0) } }
}

/// Opens once; any number of operations wait for it.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [UnsafeContinuation<Void, Never>] = []
    var arrivals: [UnsafeContinuation<Void, Never>] = []
    var arrived = 0
  }

  private let state = Mutex(State())

  /// Waits until the gate is open, cancelled or not.
  func pass() async {
    await withUnsafeContinuation { continuation in
      let (isOpen, arrivals) = state.withLock { state in
        state.arrived += 1
        if !state.isOpen { state.waiting.append(continuation) }
        defer { state.arrivals = [] }
        return (state.isOpen, state.arrivals)
      }
      for arrival in arrivals { arrival.resume() }
      if isOpen { continuation.resume() }
    }
  }

  /// Waits until an operation has come to the gate.
  func arrival() async {
    await withUnsafeContinuation { continuation in
      let hasArrived = state.withLock { state in
        if state.arrived == 0 { state.arrivals.append(continuation) }
        return state.arrived > 0
      }
      if hasArrived { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
