import Synchronization

/// Has a store's state saved after its commits, and when it is deactivated.
final class SavingListener<State: Sendable, Env: Sendable, Value: Codable & Sendable>: CommitListener {
  private let saver: Saver<Value>
  private let get: @Sendable (State) -> Value
  private let request: @Sendable () -> Void
  private let final = Mutex<(value: Value, number: Int)?>(nil)

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
    let last = (get(state), saver.nextNumber())
    final.withLock { $0 = last }
  }

  func end() {
    let last = final.withLock { final in
      defer { final = nil }
      return final
    }
    // The saver keeps a failure, for whoever deactivated the store to ask for.
    if let last { try? saver.save(last.value, number: last.number) }
  }
}
