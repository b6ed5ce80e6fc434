/// Compares a part of the state with what it was before each commit.
///
/// `@unchecked`: `last`, `pending` and `prepared` are touched only while the store is locked; `prepared` is also read after it, by the
/// one thread that delivers for the store, and only that thread calls `prepare`, which writes it.
private final class DiffListener<State: Sendable, Value: Codable & Equatable & Sendable>: CommitListener,
  @unchecked Sendable
{
  private let get: @Sendable (State) -> Value
  private let continuation: AsyncStream<StateDiff<Value>>.Continuation
  private var last: Value?
  private var pending = Ring<(Value, Value)>()
  private var prepared: (Value, Value)?

  init(_ get: @escaping @Sendable (State) -> Value, _ continuation: AsyncStream<StateDiff<Value>>.Continuation) {
    self.get = get
    self.continuation = continuation
  }

  func start(_ state: State) { last = get(state) }

  func committed(_ state: State) -> Bool {
    let value = get(state)
    guard let before = last, before != value else { return false }
    last = value
    pending.append((before, value))
    return true
  }

  func prepare() { prepared = pending.popFirst() }

  func deliver() {
    // A value that can't be encoded has no diff.
    if let (before, after) = prepared, let diff = try? StateDiff(from: before, to: after) { continuation.yield(diff) }
  }

  func end() { continuation.finish() }
}

extension AsyncStore {
  /// What each commit from now on changes of a part of the state; a transaction is one commit.
  ///
  /// A diff is made after the commit, on the thread that tells the store's observers. Commits that change nothing of
  /// the part are left out, and those before or after which it can't be encoded. The sequence does not keep the store
  /// alive; it ends when the store is deactivated or goes away, and when the reading task is cancelled. Of a store that
  /// is not active it is empty. It is for one reader; diffs wait for a slow one without a limit.
  ///
  /// - Parameter keyPath: the part; `\.self` is all of the state. Whether it has changed is asked by `==`, under the
  ///   store's lock.
  /// - Complexity: at each commit a comparison of the part, and at each that changes it a ``StateDiff``, after the
  ///   lock.
  public func diffs<Value: Codable & Equatable & Sendable>(
    of keyPath: KeyPath<State, Value> & Sendable
  ) -> AsyncStream<StateDiff<Value>> {
    let (stream, continuation) = AsyncStream.makeStream(of: StateDiff<Value>.self)
    let listener = DiffListener<State, Value>({ $0[keyPath: keyPath] }, continuation)
    let listening = listen(listener, start: listener.start)
    continuation.onTermination = { _ in listening.end() }
    if !isActive { continuation.finish() }
    return stream
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
