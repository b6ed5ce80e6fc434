import Synchronization

/// Has a store's state saved after its commits, and when it is deactivated.
final class SavingListener<State: Sendable, Value: Codable & Sendable>: CommitListener {
  /// What is known of the state, and what is done with it.
  private enum Phase {
    /// Nothing: what was saved before is not committed yet, and nothing may be saved over it.
    case restoring
    /// What was saved before is being committed, which is no reason to save it.
    case restored
    case saving
    /// The store ended with this, which is not saved.
    case ended(Value, number: Int)
    case saved
  }

  private let saver: Saver<Value>
  private let get: @Sendable (State) -> Value
  private let request: @Sendable () -> Void
  private let cancel: @Sendable () -> Void
  private let phase = Mutex(Phase.restoring)

  /// - Parameters:
  ///   - get: the part of the state that is saved.
  ///   - request: has the state saved, some time.
  ///   - cancel: has it not saved.
  init(
    _ saver: Saver<Value>, get: @escaping @Sendable (State) -> Value, request: @escaping @Sendable () -> Void,
    cancel: @escaping @Sendable () -> Void
  ) {
    self.saver = saver
    self.get = get
    self.request = request
    self.cancel = cancel
  }

  /// Begins to save, from the next commit on, or the one after it.
  func begin(withRestoring isRestoring: Bool) { phase.withLock { $0 = isRestoring ? .restored : .saving } }

  func committed(_ state: State) -> Bool {
    phase.withLock { phase in
      switch phase {
      case .restoring: return false
      case .saving: return true
      case .restored:
        phase = .saving
        return false
      case .ended, .saved:
        // The store has been activated again.
        phase = .saving
        return true
      }
    }
  }

  func deliver() {
    saver.resume()
    request()
  }

  func willEnd(_ state: State) {
    phase.withLock { phase in
      if case .restoring = phase { return }
      phase = .ended(get(state), number: saver.nextNumber())
    }
  }

  func end() {
    saver.suspend()
    cancel()
    // The saver keeps a failure, for whoever deactivated the store to ask for.
    _ = try? saveLast()
    saver.close()
  }

  /// Ends it for good.
  func stop() {
    saver.stop()
    cancel()
    saver.close()
  }

  /// Saves what the store ended with, unless that has been done.
  ///
  /// - Returns: whether it is known what the store ended with.
  func saveLast() throws -> Bool {
    switch phase.withLock({ $0 }) {
    case .restoring, .restored, .saving: return false
    case .saved: return true
    case .ended(let value, let number):
      try saver.save(value, number: number)
      phase.withLock { phase in
        if case .ended(_, number) = phase { phase = .saved }
      }
      return true
    }
  }
}
