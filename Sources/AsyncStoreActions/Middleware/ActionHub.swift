import Synchronization

/// What a store of a model keeps beside its state: middleware, the log, and who reads its actions.
///
/// It exists from the moment one of these is asked for; a store without it sends at the cost of a change of the state.
///
/// `@unchecked`: everything but `readers`, which has a lock of its own, and `delivered` is touched only while the store
/// is locked; `delivered` is written there too and read by the one thread that delivers for the store, between two
/// calls of `prepare`.
final class ActionHub<State: Model>: CommitListener, @unchecked Sendable {
  private(set) var middleware: [Middleware<State>] = [] {
    didSet {
      observers = middleware.compactMap(\.observe)
      hasMiddleware = !middleware.isEmpty
    }
  }
  private var installed: [(key: Int, middleware: [Middleware<State>])] = [] {
    didSet { middleware = installed.flatMap(\.middleware) }
  }
  private var lastKey = 0
  var recording: ActionRecording<State>?
  /// The index that the recorded log was set back to; the next change drops what comes after it.
  var travelled: Int?
  private var observers: [@Sendable (CommittedAction<State>) -> Void] = []
  private let readers = Mutex(ActionReaders<State>())
  // What generic code would have to ask collections for, on every action.
  private var hasMiddleware = false
  private let hasReaders = Atomic<Bool>(false)

  /// The present commit is one of actions, of a transaction or of a journey through the log: what it is to the log is
  /// known.
  var isAccountedFor = false
  /// The actions of the present commit, where somebody wants to know of them.
  var current: Commit?
  /// What it was when the transaction that is being committed began.
  var saved: Commit?
  /// What has been changed by the transaction that is being committed, to be logged if it is.
  var deferred: [(ActionLog<State>.Change, State)]?
  private var queue = Queue<Commit>()
  private var delivered: Commit?

  final class Commit {
    var actions: [State.Action] = []
    var changes: [CommittedAction<State>] = []
    var observers: [@Sendable (CommittedAction<State>) -> Void] = []
    /// Set where somebody reads states.
    var state: State?

    init(_ other: Commit? = nil) {
      guard let other else { return }
      (actions, changes, observers) = (other.actions, other.changes, other.observers)
    }
  }

  // MARK: Under the lock

  /// What `update` of the model is to a store without a hub.
  func update(_ state: inout State, _ action: State.Action) -> State.Effect {
    isAccountedFor = true
    if !hasMiddleware { return apply(action, to: &state) }
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
    guard hasMiddleware || hasReaders.load(ordering: .relaxed) else {
      let effect = State.update(&state, action)
      record(.action(action), state)
      return effect
    }
    let before = observers.isEmpty ? nil : state
    let effect = State.update(&state, action)
    record(.action(action), state)
    let commit = current ?? Commit()
    commit.actions.append(action)
    if let before {
      commit.changes.append(CommittedAction(action: action, before: before, after: state))
      commit.observers = observers
    }
    current = commit
    return effect
  }

  func committed(_ state: State) -> Bool {
    guard isAccountedFor else {
      record(.state(state), state)
      return false
    }
    isAccountedFor = false
    guard let commit = current else { return false }
    current = nil
    let (hasReaders, readsStates) = readers.withLock { (!$0.isEmpty, $0.readsStates) }
    guard !commit.actions.isEmpty, hasReaders || !commit.changes.isEmpty else { return false }
    if readsStates { commit.state = state }
    queue.append(commit)
    return true
  }

  /// Whoever replays the log has to know of it, though nobody else is told.
  func committedSilently(_ state: State) { record(.state(state), state) }

  func install(_ new: [Middleware<State>]) -> Int {
    lastKey += 1
    installed.append((lastKey, new))
    return lastKey
  }

  func remove(_ key: Int) { installed.removeAll { $0.key == key } }

  func record(_ change: ActionLog<State>.Change, _ state: State) {
    guard var recording else { return }
    if deferred != nil {
      deferred?.append((change, state))
      return
    }
    // An action is logged whatever it does; another change only if the log does not lead to its state already.
    if case .state = change, recording.log.state(at: travelled ?? recording.log.indices.upperBound) == state { return }
    if let index = travelled {
      recording.log.removeAll(from: index)
      travelled = nil
      // Another one, by which a journey that is about to begin notices.
      recording = ActionRecording(recording.log)
      self.recording = recording
    }
    recording.log.append(change, leadingTo: state)
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

  func end() {
    readers.withLock { readers in
      hasReaders.store(false, ordering: .relaxed)
      return readers.removeAll()
    }.finish()
  }

  // MARK: Readers

  func read(_ body: (inout ActionReaders<State>) -> Void) {
    readers.withLock { readers in
      body(&readers)
      hasReaders.store(!readers.isEmpty, ordering: .relaxed)
    }
  }

  deinit { readers.withLock { $0.removeAll() }.finish() }
}

/// A log that is being written, in a place of its own.
///
/// `@unchecked`: touched only while the store is locked.
final class ActionRecording<State: Model>: @unchecked Sendable {
  var log: ActionLog<State>

  init(_ log: ActionLog<State>) { self.log = log }
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
