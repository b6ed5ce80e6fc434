import AsyncStore
import Synchronization

/// The middleware, the log and the action readers that a model's store keeps beside its state.
///
/// The hub is created when one of these is first used. Without it, sending an action costs no more than a change of the
/// state.
///
/// `@unchecked`: everything except `readers`, which has a lock of its own, `hasReaders`, which is atomic, and
/// `delivered` is touched only while the store is locked. `delivered` is written there too, and read by the one thread
/// that delivers for the store, between two calls of `prepare`.
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
  /// The index that the recorded log was set back to; the next change drops the changes after it.
  var travelled: Int?
  private var observers: [@Sendable (CommittedAction<State>) -> Void] = []
  /// The current readers and, for each earlier activity of the store, the readers that have not been notified of its
  /// end, and the state that was kept for them, which is released after the lock.
  private let readers = Mutex((current: ActionReaders<State>(), ended: [(ActionReaders<State>, State?)]()))
  // Stored separately, because generic code would have to query the collections on every action.
  private var hasMiddleware = false
  private let hasReaders = Atomic<Bool>(false)

  /// The state after the last commit of any kind, while somebody reads updates.
  var last: State?

  /// True if the log already contains the current commit, because actions, a transaction or a `travel` made it.
  var isAccountedFor = false
  /// The actions of the current commit, if somebody wants them.
  var current: Commit?
  /// The value of `current` when the transaction being committed began.
  var saved: Commit?
  /// The changes of the transaction being committed, which are logged if it is committed.
  var deferred: [(ActionLog<State>.Change, State)]?
  /// The values given up since the last commit, to be released after the store's lock.
  var released = ReleasedValues()
  private var queue = Queue<Commit>()
  private var delivered: Commit?

  final class Commit {
    var actions: [State.Action] = []
    var changes: [CommittedAction<State>] = []
    var observers: [@Sendable (CommittedAction<State>) -> Void] = []
    /// The readers at the time of the commit.
    var readers = ActionReaders<State>()
    /// The states before and after the commit, if somebody reads updates.
    var states: (before: State, after: State)?
    /// The values to be released when the commit has been delivered.
    var released = ReleasedValues()

    init(_ other: Commit? = nil) {
      guard let other else { return }
      (actions, changes, observers) = (other.actions, other.changes, other.observers)
    }
  }

  // MARK: Under the lock

  /// Updates the state, as the model's `update` does for a store without a hub.
  func update(_ state: inout State, _ action: State.Action) -> State.Effect {
    isAccountedFor = true
    if !hasMiddleware { return apply(action, to: &state) }
    var action = action
    var effects: [State.Effect] = []
    for (index, step) in middleware.enumerated() {
      let next = step.intercept(state, action)
      // The sender holds the first action; middleware may have created the others.
      if index > 0 { released.append(action) }
      guard let next else { return .merge(effects: effects) }
      action = next
      if let effect = step.effect { effects.append(effect(state, action)) }
    }
    effects.append(apply(action, to: &state))
    return .merge(effects: effects)
  }

  private func apply(_ action: State.Action, to state: inout State) -> State.Effect {
    guard hasMiddleware || hasReaders.load(ordering: .relaxed) else {
      forgetKnownState()
      let effect = State.update(&state, action)
      record(.action(action), state)
      return effect
    }
    let before = observers.isEmpty ? nil : state
    forgetKnownState()
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
    let before = follow(state)
    guard isAccountedFor else {
      record(.state(state), state)
      return giveUp(nil, before)
    }
    isAccountedFor = false
    guard let commit = current.take() else { return giveUp(nil, before) }
    let readers = readers.withLock { $0.current }
    guard !commit.actions.isEmpty, !readers.isEmpty || !commit.changes.isEmpty else { return giveUp(commit, before) }
    commit.readers = readers
    commit.states = before.flatMap { before in last.map { (before, $0) } }
    if commit.states == nil, let before { released.append(before) }
    commit.released = released.take()
    queue.append(commit)
    return true
  }

  /// Gives up the values of a commit that nobody is notified of.
  ///
  /// - Returns: true if there is something to release after the lock.
  private func giveUp(_ commit: Commit?, _ before: State?) -> Bool {
    if let commit, !_isPOD(State.Action.self) { released.append(commit.actions) }
    if let before { released.append(before) }
    if released.isEmpty { return false }
    let bearer = Commit()
    bearer.released = released.take()
    queue.append(bearer)
    return true
  }

  /// Records the state after a commit.
  ///
  /// - Returns: the state before the commit if it was kept because somebody reads updates.
  private func follow(_ state: State) -> State? {
    guard let before = last else { return nil }
    last = readers.withLock { $0.current.readsStates } ? state : nil
    return before
  }

  /// Logs a silent change, which a replay of the log needs, although nobody else is notified.
  func committedSilently(_ state: State) -> Bool {
    let before = follow(state)
    record(.state(state), state)
    return giveUp(nil, before)
  }

  func willEnd(_ state: State, endsActivity: Bool) {
    let last = last.take()
    readers.withLock { readers in
      readers.ended.append((readers.current.removeAll(), last))
      hasReaders.store(false, ordering: .relaxed)
    }
  }

  func install(_ new: [Middleware<State>]) -> Int {
    lastKey += 1
    installed.append((lastKey, new))
    return lastKey
  }

  /// - Returns: the earlier middleware, to be released after the lock.
  func remove(_ key: Int) -> any Sendable {
    let all = (installed.map(\.middleware), middleware, observers)
    installed.removeAll { $0.key == key }
    return all
  }

  private func forgetKnownState() {
    if let known = recording?.known.take() { released.append(known.state) }
  }

  func record(_ change: ActionLog<State>.Change, _ state: State) {
    guard let recording else { return }
    if deferred != nil {
      deferred?.append((change, state))
      return
    }
    // An action is logged whatever it does; another change only if the log does not already lead to its state.
    if case .state = change, recording.leads(to: state, at: travelled, &released) { return }
    // The following state is not the log's.
    forgetKnownState()
    if let index = travelled {
      recording.removeAll(from: index, &released)
      travelled = nil
    }
    recording.log.append(change, leadingTo: state, &released)
    if case .state = change { recording.known = (recording.log.indices.upperBound, state) }
  }

  func prepare() { delivered = queue.popFirst() }

  // MARK: After it

  func deliver() {
    // Taken, because otherwise its contents would stay until the next commit, and then be freed under the lock.
    guard let commit = delivered.take() else { return }
    for change in commit.changes {
      for observer in commit.observers { observer(change) }
    }
    commit.readers.yield(commit.actions)
    if let (before, after) = commit.states, !repeats(before, after) {
      commit.readers.yield(ActionUpdate(actions: commit.actions, state: after))
    }
  }

  func end() {
    let ended = readers.withLock { $0.ended.isEmpty ? nil : $0.ended.removeFirst() }
    // Outside the lock, because this also releases a state, which belongs to the user.
    withExtendedLifetime(ended) { ended?.0.finish() }
  }

  // MARK: Readers

  func read<Result: Sendable>(_ body: (inout ActionReaders<State>) -> Result) -> Result {
    readers.withLock { readers in
      defer { hasReaders.store(!readers.current.isEmpty, ordering: .relaxed) }
      return body(&readers.current)
    }
  }

  deinit {
    let (current, ended) = readers.withLock { ($0.current, $0.ended) }
    for readers in ended.map(\.0) + [current] { readers.finish() }
  }
}

extension AsyncStore where State: Model, Env == State.Environment {
  /// The store's hub, created if there is none.
  var hub: ActionHub<State> { associatedListener { _ in ActionHub() } }

  /// Calls `body` with the store's hub, if there is one, under the lock.
  func withKnownHub<Result>(_ body: (ActionHub<State>?, State) -> Result) -> Result {
    withAssociatedObject { object, state in body(OngoingCommit(object: object).hub, state) }
  }
}

extension AsyncStore.OngoingCommit where State: Model, Env == State.Environment {
  /// The store's hub, if there is one.
  fileprivate var hub: ActionHub<State>? {
    // A model's store is associated with no other kind of object.
    object.map { unsafeDowncast($0, to: ActionHub<State>.self) }
  }

  /// Updates the state with an action, under the lock.
  func update(_ state: inout State, _ action: State.Action) -> AsyncStore.Effect {
    guard let hub else { return State.update(&state, action) }
    return hub.update(&state, action)
  }
}
