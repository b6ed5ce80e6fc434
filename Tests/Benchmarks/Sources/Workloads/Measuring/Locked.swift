import Synchronization

/// A state behind a mutex, from which the hand-written sides are built.
final class Locked<State: Sendable>: Sendable {
  private let mutex: Mutex<State>

  init(_ state: State) { mutex = Mutex(state) }

  @inline(__always)
  func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result { mutex.withLock(body) }
}
