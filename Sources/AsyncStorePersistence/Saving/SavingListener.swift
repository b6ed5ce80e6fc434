import Synchronization

/// Has a store's state saved after its commits, and when it is deactivated.
final class SavingListener<State: Sendable, Env: Sendable, Value: Codable & Sendable>: CommitListener {
  private let saver: Saver<Value>
  private let get: @Sendable (State) -> Value
  private let request: @Sendable () -> Void
  private let last = Mutex(Last.unknown)

  /// What the store ended with.
  private enum Last {
    case unknown
    case unsaved(Value, number: Int)
    case saved
  }

  /// - Parameters:
  ///   - get: the part of the state that is saved.
  ///   - request: has the store save, some time.
  init(_ saver: Saver<Value>, get: @escaping @Sendable (State) -> Value, request: @escaping @Sendable () -> Void) {
    self.saver = saver
    self.get = get
    self.request = request
  }

  func committed(_ state: State) -> Bool { true }
  func deliver() { request() }

  func willEnd(_ state: State) {
    let value = Last.unsaved(get(state), number: saver.nextNumber())
    last.withLock { $0 = value }
  }

  // The saver keeps a failure, for whoever deactivated the store to ask for.
  func end() { _ = try? saveLast() }

  /// Saves what the store ended with, unless that has been done.
  ///
  /// - Returns: whether it is known what the store ended with.
  func saveLast() throws -> Bool {
    switch last.withLock({ $0 }) {
    case .unknown: return false
    case .saved: return true
    case .unsaved(let value, let number):
      try saver.save(value, number: number)
      last.withLock { last in
        if case .unsaved(_, number) = last { last = .saved }
      }
      return true
    }
  }
}
