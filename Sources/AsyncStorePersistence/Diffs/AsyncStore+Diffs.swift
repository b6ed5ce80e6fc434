import AsyncStoreActions

extension AsyncStore {
  /// Returns the changes that later commits make to a part of the state; a transaction is one commit.
  ///
  /// A diff is made after the commit, on the thread that tells the store's observers. Commits that do not change the
  /// part are left out, and so are those where the value before or after can't be encoded. A diff begins where the one
  /// before it ended, so that no change is missing: it includes silent changes since then. The sequence does not keep
  /// the store alive; it ends when the store is deactivated or goes away, and when the reading task is cancelled. For a
  /// store that is not active it is empty. It is for one reader; diffs wait for a slow one without a limit.
  ///
  /// - Parameter keyPath: the part; `\.self` is all of the state. It is compared by `==`, under the store's lock. A key
  ///   path that may trap in a later state, with a `!` or an index, has no diffs.
  /// - Complexity: a comparison of the part at each commit, and a ``StateDiff`` at each that changes it, after the
  ///   lock.
  public func diffs<Value: Codable & Equatable & Sendable>(
    of keyPath: KeyPath<State, Value> & Sendable
  ) -> AsyncStream<StateDiff<Value>> {
    changes(of: Part(reading: keyPath)) { StateDiff($0) }
  }
}

extension ChildStore where State: Codable & Equatable {
  /// Returns the changes that later commits make to the part; a transaction is one commit.
  ///
  /// The arrival or removal of the part is not a change. See also the store's `diffs(of:)`.
  public func diffs() -> AsyncStream<StateDiff<State>> { changes { StateDiff($0) } }
}

extension StateDiff where Value: Equatable {
  /// Creates a diff; `nil` for values that can't be encoded.
  fileprivate init?(_ change: PartChange<Value>) {
    guard let diff = try? StateDiff(from: change.before, to: change.after) else { return nil }
    self = diff
    transaction = change.transaction
  }
}

extension Middleware where State: Codable {
  /// Creates middleware that logs each action, and below it the paths that it changes.
  ///
  /// An action that changes nothing is logged alone; an action whose states can't be encoded is not logged.
  ///
  /// - Parameter output: called with an action and its changes, after the commit; by default prints them. It runs as
  ///   the function of `Middleware.observing(_:)` does.
  /// - Complexity: for each action a ``StateDiff`` of the whole state.
  public static func loggingDiffs(to output: @escaping @Sendable (String) -> Void = { print($0) }) -> Self {
    .observing { committed in
      guard let diff = try? StateDiff(from: committed.before, to: committed.after) else { return }
      let changes = diff.description.split(separator: "\n").map { "\n  \($0)" }.joined()
      output("\(committed.action)\(changes)")
    }
  }
}
