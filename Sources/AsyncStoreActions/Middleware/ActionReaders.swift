/// The readers of a store's actions and of the updates that these led to.
struct ActionReaders<State: Model>: Sendable {
  private var actions: [Int: AsyncStream<State.Action>.Continuation] = [:]
  private var updates: [Int: UpdateReader<State>] = [:]
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
    updates[lastKey] = UpdateReader(continuation, from: state)
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

  func yield(_ new: [State.Action]) {
    for continuation in actions.values {
      for action in new { continuation.yield(action) }
    }
  }

  func yield(_ update: ActionUpdate<State>) { for reader in updates.values { reader.yield(update) } }

  func finish() {
    for continuation in actions.values { continuation.finish() }
    for reader in updates.values { reader.finish() }
  }
}

/// A reader of updates.
///
/// `@unchecked`: `last` is touched only by the one thread that delivers for the store.
private final class UpdateReader<State: Model>: @unchecked Sendable {
  private let continuation: AsyncStream<ActionUpdate<State>>.Continuation
  private var last: State

  init(_ continuation: AsyncStream<ActionUpdate<State>>.Continuation, from state: State) {
    self.continuation = continuation
    last = state
  }

  /// Hands on an update, unless it leads to the state that the reader has had last.
  func yield(_ update: ActionUpdate<State>) {
    if update.state == last { return }
    last = update.state
    continuation.yield(update)
  }

  func finish() { continuation.finish() }
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
    read(continuation) { readers, _ in readers.add(continuation) }
    return stream
  }

  /// The commits of actions that change the state from now on, each with the state after it.
  ///
  /// A state that equals the one before it is not published. For the rest see ``actions``; for changes that no action
  /// made, and for parts of the state, there is `values(of:buffering:)`.
  ///
  /// - Complexity: a comparison of the state for each reader at each commit of actions, after the store's lock.
  public var updates: AsyncStream<ActionUpdate<State>> {
    let (stream, continuation) = AsyncStream.makeStream(of: ActionUpdate<State>.self)
    read(continuation) { readers, state in readers.add(continuation, from: state) }
    return stream
  }

  /// Adds a reader of the commits from now on.
  private func read<Element>(
    _ continuation: AsyncStream<Element>.Continuation, _ add: (inout ActionReaders<State>, State) -> Int
  ) {
    let hub = hub
    let key = withAttachment { _, state in hub.read { add(&$0, state) } }
    continuation.onTermination = { [weak hub] _ in hub?.read { $0.remove(key) } }
    // If the store was not active then, nobody else ends it.
    if !isActive { continuation.finish() }
  }
}
