import AsyncStoreActions

extension AsyncStore {
  /// The changes that later commits make to a part of the state; a transaction is one commit.
  ///
  /// A diff is made after the commit, on the thread that tells the store's observers. Commits that do not change the
  /// part are left out, and so are those where the value before or after can't be encoded. A diff begins where the one
  /// before it ended, so that none is missing between two states: it has what was changed silently since. The sequence
  /// does not keep the store alive; it ends when the store is deactivated or goes away, and when the reading task is
  /// cancelled. Of a store that is not active it is empty. It is for one reader; diffs wait for a slow one without a
  /// limit.
  ///
  /// - Parameter keyPath: the part; `\.self` is all of the state. Whether it has changed is asked by `==`, under the
  ///   store's lock. One that may trap in a later state, with a `!` or an index, has no diffs.
  /// - Complexity: at each commit a comparison of the part, and at each that changes it a ``StateDiff``, after the
  ///   lock.
  public func diffs<Value: Codable & Equatable & Sendable>(
    of keyPath: KeyPath<State, Value> & Sendable
  ) -> AsyncStream<StateDiff<Value>> {
    changes(of: Part(reading: keyPath)) { StateDiff($0) }
  }
}

extension ChildStore where State: Codable & Equatable {
  /// The changes that later commits make to the part; a transaction is one commit.
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
  /// Logs what each action changes: the action, and below it the paths.
  ///
  /// An action that changes nothing is logged alone, one whose states can't be encoded not at all.
  ///
  /// - Parameter output: is given an action and its changes, after the commit; by default they are printed. It runs as
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
