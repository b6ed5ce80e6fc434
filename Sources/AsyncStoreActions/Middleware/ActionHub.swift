import Synchronization

/// What a store of a model keeps beside its state: middleware, the log, and who reads its actions.
///
/// It exists from the moment one of these is asked for; a store without it sends at the cost of a change of the state.
///
/// `@unchecked`: everything but `readers`, which has a lock of its own, and `delivered` is touched only while the store is locked;
/// `delivered` is written there too and read by the one thread that delivers for the store, between two calls of `prepare`.
final class ActionHub<State: Model>: CommitListener, @unchecked Sendable {
  var middleware: [Middleware<State>] = [] {
    didSet { observers = middleware.compactMap(\.observe) }
  }
  var recording: ActionLog<State>?
  /// The index that the recorded log was set back to; the next change drops what comes after it.
  var travelled: Int?
  private var observers: [@Sendable (CommittedAction<State>) -> Void] = []
  private let readers = Mutex(ActionReaders<State>())

  /// The actions of the commit that is being made.
  var current: Commit?
  /// What it was when the transaction that is being committed began.
  var saved: Commit?
  /// What has been changed by the transaction that is being committed, to be logged if it is.
  var deferred: [(ActionLog<State>.Change, State)]?
  private var queue = Queue<Commit>()
  private var delivered: Commit?

  struct Commit {
    var actions: [State.Action] = []
    var changes: [CommittedAction<State>] = []
    var observers: [@Sendable (CommittedAction<State>) -> Void] = []
    /// Set where somebody reads states.
    var state: State?
  }

  // MARK: Under the lock

  /// What `update` of the model is to a store without a hub.
  func update(_ state: inout State, _ action: State.Action) -> State.Effect {
    if current == nil { current = Commit() }
    if middleware.isEmpty { return apply(action, to: &state) }
    var action = action
    var effects: [State.Effect] = []
    for step in middleware {
      guard let next = step.intercept(state, action) else { return .merge(effects: effects) }
      action = next
      if let effect = step.effect { effects.append(effect(state, action)) }
    }
    effects.append(apply(action, to: &state))
    return .merge(effects: effects)
  }

  private func apply(_ action: State.Action, to state: inout State) -> State.Effect {
    let before = observers.isEmpty ? nil : state
    let effect = State.update(&state, action)
    record(.action(action), state)
    current?.actions.append(action)
    if let before {
      current?.changes.append(CommittedAction(action: action, before: before, after: state))
      current?.observers = observers
    }
    return effect
  }

  func committed(_ state: State) -> Bool {
    guard var commit = current else {
      if travelled == nil { record(.state(state), state) }
      return false
    }
    current = nil
    let (hasReaders, readsStates) = readers.withLock { (!$0.isEmpty, $0.readsStates) }
    guard !commit.actions.isEmpty, hasReaders || !commit.changes.isEmpty else { return false }
    if readsStates { commit.state = state }
    queue.append(commit)
    return true
  }

  func record(_ change: ActionLog<State>.Change, _ state: State) {
    guard recording != nil else { return }
    if deferred != nil {
      deferred?.append((change, state))
      return
    }
    if let index = travelled {
      recording?.removeAll(from: index)
      travelled = nil
    }
    recording?.append(change, leadingTo: state)
  }

  func prepare() { delivered = queue.popFirst() }

  // MARK: After it

  func deliver() {
    guard let commit = delivered else { return }
    for change in commit.changes {
      for observer in commit.observers { observer(change) }
    }
    readers.withLock { $0 }.yield(commit.actions)
    if let state = commit.state { publish(ActionUpdate(actions: commit.actions, state: state)) }
  }

  private func publish(_ update: ActionUpdate<State>) {
    let continuations = readers.withLock { $0.take(update) }
    for continuation in continuations { continuation.yield(update) }
  }

  func end() { readers.withLock { $0.removeAll() }.finish() }

  // MARK: Readers

  func read(_ body: (inout ActionReaders<State>) -> Void) { readers.withLock { body(&$0) } }

  deinit { readers.withLock { $0.removeAll() }.finish() }
}

extension AsyncStore where State: Model, Env == State.Environment {
  /// The store's hub, made now if there is none.
  var hub: ActionHub<State> { attachment { _ in ActionHub() } }
}

extension AsyncStore.Attachment where State: Model, Env == State.Environment {
  /// The store's hub, if there is one.
  private var hub: ActionHub<State>? {
    // Nothing else is ever attached to the store of a model.
    object.map { unsafeDowncast($0, to: ActionHub<State>.self) }
  }

  /// Called under the lock.
  func update(_ state: inout State, _ action: State.Action) -> AsyncStore.Effect {
    guard let hub else { return State.update(&state, action) }
    return hub.update(&state, action)
  }
}
