import AsyncStore

/// The readers of a store's actions and of the resulting updates.
struct ActionReaders<State: Model>: Sendable {
  private var actions: [Int: AsyncStream<State.Action>.Continuation] = [:]
  private var updates: [Int: AsyncStream<ActionUpdate<State>>.Continuation] = [:]
  private var lastKey = 0

  var isEmpty: Bool { actions.isEmpty && updates.isEmpty }
  var readsStates: Bool { !updates.isEmpty }

  mutating func add(_ continuation: AsyncStream<State.Action>.Continuation) -> Int {
    lastKey += 1
    actions[lastKey] = continuation
    return lastKey
  }

  mutating func add(_ continuation: AsyncStream<ActionUpdate<State>>.Continuation) -> Int {
    lastKey += 1
    updates[lastKey] = continuation
    return lastKey
  }

  /// - Returns: the reader, to be released after the lock, because its unread elements belong to the user.
  mutating func remove(_ key: Int) -> any Sendable {
    (actions.removeValue(forKey: key), updates.removeValue(forKey: key))
  }

  mutating func removeAll() -> Self {
    let all = self
    actions = [:]
    updates = [:]
    return all
  }

  func yield(_ new: [State.Action]) {
    for continuation in actions.values {
      for action in new { continuation.yield(action) }
    }
  }

  func yield(_ update: ActionUpdate<State>) { for continuation in updates.values { continuation.yield(update) } }

  func finish() {
    for continuation in actions.values { continuation.finish() }
    for continuation in updates.values { continuation.finish() }
  }
}

/// The actions of one commit, and the resulting state.
public struct ActionUpdate<State: Model>: Sendable {
  /// The actions, in order; more than one if several were sent at once.
  public let actions: [State.Action]
  /// The state after all of them.
  public let state: State

  /// Creates an update, for example to compare with another one.
  public init(actions: [State.Action], state: State) {
    self.actions = actions
    self.state = state
  }
}

extension ActionUpdate: Equatable where State.Action: Equatable {}

extension AsyncStore where State: Model, Env == State.Environment {
  /// The actions that reach the model, from now on, in the order of the commits.
  ///
  /// Any number of readers may read, each from its own sequence. An action arrives here before its state arrives at
  /// ``updates``; actions that middleware stopped arrive at neither. The sequence does not keep the store alive. It
  /// ends when the store is deactivated or goes away, and when the reading task is cancelled. For a store that is not
  /// active, it is empty. Actions wait for a slow reader without a limit.
  ///
  /// ```swift
  /// let tally = StoreOf<Tally>(state: Tally(), env: ())
  /// var actions = tally.actions.makeAsyncIterator()
  /// tally.send(.add(3))
  /// let action = await actions.next()
  /// // action == .add(3)
  /// ```
  public var actions: AsyncStream<State.Action> {
    let (stream, continuation) = AsyncStream.makeStream(of: State.Action.self)
    read(continuation) { hub, _ in hub.read { $0.add(continuation) } }
    return stream
  }

  /// The commits of actions that change the state from now on, each with the state after it.
  ///
  /// A commit that does not change the state is not published. Nor are changes that no action made, so the states of
  /// two updates may differ by more than the actions in between. For the rest see ``actions``. For all changes, and for
  /// parts of the state, use `values(of:buffering:)`.
  ///
  /// - Complexity: a comparison of the state at each commit of actions, after the store's lock. The previous state is
  ///   kept while somebody reads.
  public var updates: AsyncStream<ActionUpdate<State>> {
    let (stream, continuation) = AsyncStream.makeStream(of: ActionUpdate<State>.self)
    read(continuation) { hub, state in
      hub.last = state
      return hub.read { $0.add(continuation) }
    }
    return stream
  }

  /// Adds a reader of the commits from now on.
  private func read<Element>(
    _ continuation: AsyncStream<Element>.Continuation, _ add: (ActionHub<State>, State) -> Int
  ) {
    let hub = hub
    let key = withAssociatedObject { _, state in add(hub, state) }
    continuation.onTermination = { [weak hub] _ in
      if let hub { withExtendedLifetime(hub.read { $0.remove(key) }) {} }
    }
    // If the store was not active at that time, nothing else ends the sequence.
    if !isActive { continuation.finish() }
  }
}
