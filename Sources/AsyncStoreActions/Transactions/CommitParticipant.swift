import AsyncStore

/// An object associated with a store that takes part in its transactions.
protocol CommitParticipant: AnyObject {
  /// Begins recording; ``end(isCommitted:)`` keeps or drops the record.
  func begin()
  /// Ends recording, and keeps the record if it is committed.
  ///
  /// - Returns: the values of a commit that was not made, to be released after the lock.
  func end(isCommitted: Bool) -> ReleasedValues
  /// Records that something other than an action has changed the state.
  func mutated(_ state: any Sendable)
  /// The middleware between actions and the model, for drafts.
  var interceptors: any Sendable { get }
  /// Returns the closures to call with a transaction's outcome, after the store's lock.
  func begun(_ run: TransactionRun) -> [@Sendable (TransactionStatus) -> Void]
}

extension AsyncStore.OngoingCommit {
  var participant: (any CommitParticipant)? { object as? any CommitParticipant }

  /// Makes a change in several steps, which the participant records as a whole or not at all.
  ///
  /// Called under the lock.
  ///
  /// - Parameter body: returns `nil` if it has left the state unchanged.
  mutating func changeAsWhole<Result>(_ body: (inout Self) -> Result?) -> Result? {
    let participant = participant
    participant?.begin()
    let result = body(&self)
    commitsNothing = result == nil
    if let given = participant?.end(isCommitted: !commitsNothing) { released.append(contentsOf: given) }
    return result
  }

  func mutated(_ state: State) { participant?.mutated(state) }
}

extension ActionHub: CommitParticipant {
  func begin() {
    saved = current
    current = current.map { Commit($0) }
    isAccountedFor = true
    deferred = []
  }

  func end(isCommitted: Bool) -> ReleasedValues {
    let changes = deferred.take() ?? []
    defer { saved = nil }
    if isCommitted {
      for (change, state) in changes { record(change, state) }
      if !changes.isEmpty { released.append(changes) }
      return ReleasedValues()
    }
    if let current {
      released.append(current.actions)
      released.append(current.changes)
    }
    if !changes.isEmpty { released.append(changes) }
    current = saved
    isAccountedFor = false
    return released.take()
  }

  var interceptors: any Sendable { middleware }

  func begun(_ run: TransactionRun) -> [@Sendable (TransactionStatus) -> Void] {
    middleware.compactMap { $0.watch?(run) }
  }

  func mutated(_ state: any Sendable) {
    guard let state = state as? State else { preconditionFailure("the state of another store") }
    record(.state(state), state)
  }
}
