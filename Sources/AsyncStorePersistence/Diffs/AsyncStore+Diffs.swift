import AsyncStore
import AsyncStoreActions
import Synchronization

extension AsyncStore {
  /// Returns the changes that later commits make to a part of the state; a transaction is one commit.
  ///
  /// A diff is made after the commit, on the thread that notifies the store's observers. Commits that do not change the
  /// part are left out, and so are commits that lead to a value that can't be encoded. A diff begins where the previous
  /// one ended, so that no change is missing: it includes silent changes since then, and changes through values that
  /// can't be encoded; its transaction is that of the last change. If the value at the beginning can't be encoded, the
  /// first diff begins with the next value that can. The sequence does not keep the store alive. It ends when the store
  /// is deactivated or goes away, and when the reading task is cancelled. For a store that is not active, it is empty.
  /// It is for one reader; diffs wait for a slow reader without a limit.
  ///
  /// - Parameter keyPath: the part; `\.self` is the whole state. It is compared with `==`, under the store's lock. A
  ///   key path that may trap in a later state, with a `!` or an index, has no diffs.
  /// - Complexity: a comparison of the part at each commit, and a ``StateDiff`` at each commit that changes it, after
  ///   the lock.
  public func diffs<Value: Codable & Equatable & Sendable>(
    of keyPath: KeyPath<State, Value> & Sendable
  ) -> AsyncStream<StateDiff<Value>> {
    let diffs = SuccessiveDiffs<Value>()
    return changes(of: Part(reading: keyPath)) { diffs.next($0) }
  }
}

extension ChildStore where State: Codable & Equatable {
  /// Returns the changes that later commits make to the part; a transaction is one commit.
  ///
  /// The arrival or removal of the part is not a change: the first diff after an arrival begins with the value that has
  /// arrived. See also the store's `diffs(of:)`.
  public func diffs() -> AsyncStream<StateDiff<State>> {
    let diffs = SuccessiveDiffs<State>()
    return changes { diffs.next($0) }
  }
}

/// Diffs, each of which begins where the previous one ended.
private final class SuccessiveDiffs<Value: Codable & Equatable & Sendable>: Sendable {
  /// The value at which the last diff ended and the newest value, if the newest can't be encoded.
  private let gap = Mutex<(start: Value, end: Value)?>(nil)

  /// Returns the diff of a change; `nil` if the change leads to a value that can't be encoded, or back from such
  /// values.
  func next(_ change: PartChange<Value>) -> StateDiff<Value>? {
    // The part may have been missing in between, and have come back as another one.
    let gap = gap.withLock { $0.take() }.flatMap { repeats($0.end, change.before) ? $0 : nil }
    let before = gap?.start ?? change.before
    guard var diff = try? StateDiff(from: before, to: change.after) else {
      // Checked only here, because it costs an encoding.
      let isKnown = (try? JSONValue(encoding: before)) != nil
      if isKnown { self.gap.withLock { $0 = (before, change.after) } }
      return nil
    }
    if gap != nil, diff.isEmpty { return nil }
    diff.transaction = change.transaction
    return diff
  }
}

extension Middleware where State: Codable {
  /// Creates middleware that logs each action, followed by the paths that it changes.
  ///
  /// An action that changes nothing is logged alone; an action whose states can't be encoded is not logged.
  ///
  /// - Parameter output: called with an action and its changes, after the commit; by default prints them. It runs like
  ///   the function of `Middleware.observing(_:)`.
  /// - Complexity: for each action a ``StateDiff`` of the whole state.
  public static func loggingDiffs(to output: @escaping @Sendable (String) -> Void = { print($0) }) -> Self {
    .observing { committed in
      guard let diff = try? StateDiff(from: committed.before, to: committed.after) else { return }
      let changes = diff.description.split(separator: "\n").map { "\n  \($0)" }.joined()
      output("\(committed.action)\(changes)")
    }
  }
}
