/// What is attached to a store and takes part in its transactions.
protocol CommitParticipant: AnyObject {
  /// From here on what is noted counts only if ``end(isCommitted:)`` says so.
  func begin()
  func end(isCommitted: Bool)
  /// Something else than an action has changed the state.
  func mutated(_ state: any Sendable)
}

extension AsyncStore.Attachment {
  /// Makes a change of several steps, of which what is attached to the store notes all or nothing.
  ///
  /// Called under the lock.
  func whole(_ body: () throws -> AsyncStore.Effect) rethrows -> AsyncStore.Effect {
    let participant = object as? any CommitParticipant
    participant?.begin()
    var isCommitted = false
    defer { participant?.end(isCommitted: isCommitted) }
    let effect = try body()
    isCommitted = true
    return effect
  }

  func mutated(_ state: State) { (object as? any CommitParticipant)?.mutated(state) }
}

extension ActionHub: CommitParticipant {
  func begin() {
    saved = current
    current = current.map { Commit($0) }
    // Whatever becomes of it: no change of somebody else's.
    isAccountedFor = true
    deferred = []
  }

  func end(isCommitted: Bool) {
    let changes = deferred ?? []
    deferred = nil
    if isCommitted {
      for (change, state) in changes { record(change, state) }
    } else {
      current = saved
    }
    saved = nil
  }

  func mutated(_ state: any Sendable) {
    guard let state = state as? State else { preconditionFailure("the state of another store") }
    record(.state(state), state)
  }
}
