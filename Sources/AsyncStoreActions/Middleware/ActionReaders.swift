/// Those who read a store's actions or what they led to.
struct ActionReaders<State: Model>: Sendable {
  private var actions: [Int: AsyncStream<State.Action>.Continuation] = [:]
  private var updates: [Int: (last: State, continuation: AsyncStream<ActionUpdate<State>>.Continuation)] = [:]
  private var lastKey = 0

  var isEmpty: Bool { actions.isEmpty && updates.isEmpty }
  var readsStates: Bool { !updates.isEmpty }

  mutating func add(_ continuation: AsyncStream<State.Action>.Continuation) -> Int {
    lastKey += 1
    actions[lastKey] = continuation
    return lastKey
  }

  mutating func add(_ continuation: AsyncStream<ActionUpdate<State>>.Continuation, from state: State) -> Int {
    lastKey += 1
    updates[lastKey] = (state, continuation)
    return lastKey
  }

  mutating func remove(_ key: Int) {
    actions[key] = nil
    updates[key] = nil
  }

  mutating func removeAll() -> Self {
    let all = self
    actions = [:]
    updates = [:]
    return all
  }

  /// Notes an update for those who have not just had an equal state.
  mutating func take(_ update: ActionUpdate<State>) -> [AsyncStream<ActionUpdate<State>>.Continuation] {
    var continuations: [AsyncStream<ActionUpdate<State>>.Continuation] = []
    for (key, reader) in updates where reader.last != update.state {
      updates[key]?.last = update.state
      continuations.append(reader.continuation)
    }
    return continuations
  }

  func yield(_ new: [State.Action]) {
    for continuation in actions.values {
      for action in new { continuation.yield(action) }
    }
  }

  func finish() {
    for continuation in actions.values { continuation.finish() }
    for reader in updates.values { reader.continuation.finish() }
  }
}

/// The actions of one commit, and the state they led to.
public struct ActionUpdate<State: Model>: Sendable {
  /// The actions, in order; more than one where several were sent at once.
  public let actions: [State.Action]
  /// The state after all of them.
  public let state: State

  /// Creates an update, to compare one with.
  public init(actions: [State.Action], state: State) {
    self.actions = actions
    self.state = state
  }
}

extension ActionUpdate: Equatable where State.Action: Equatable {}

extension AsyncStore where State: Model, Env == State.Environment {
  /// The actions that reach the model, from now on, in the order of the commits.
  ///
  /// Any number of readers may read, each from its own sequence. An action comes here before its state comes to
  /// ``updates``; what middleware stopped comes to neither. The sequence does not keep the store alive; it ends when
  /// the store is deactivated or goes away, and when the reading task is cancelled. Of a store that is not active it is
  /// empty. Actions wait for a slow reader without a limit.
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
    let hub = hub
    guard isActive else {
      continuation.finish()
      return stream
    }
    hub.read { readers in
      let key = readers.add(continuation)
      continuation.onTermination = { [weak hub] _ in hub?.read { $0.remove(key) } }
    }
    return stream
  }

  /// What actions led to, from now on: each commit of actions that changed the state, with the state after it.
  ///
  /// A state that equals the one before it is not published. For the rest see ``actions``; for changes that no action
  /// made, and for parts of the state, there is `values(of:buffering:)`.
  ///
  /// - Complexity: a comparison of the state for each reader at each commit of actions, after the store's lock.
  public var updates: AsyncStream<ActionUpdate<State>> {
    let (stream, continuation) = AsyncStream.makeStream(of: ActionUpdate<State>.self)
    let hub = hub
    guard isActive else {
      continuation.finish()
      return stream
    }
    withAttachment { _, state in
      hub.read { readers in
        let key = readers.add(continuation, from: state)
        continuation.onTermination = { [weak hub] _ in hub?.read { $0.remove(key) } }
      }
    }
    return stream
  }
}
