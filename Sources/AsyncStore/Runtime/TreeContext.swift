import Synchronization

/// What the shell knows of one received tree: who waits for it, and where its operations get their task-local values.
final class TreeContext: Sendable {
  private struct State {
    var outcome: EffectOutcome?
    var waiters: [@Sendable (EffectOutcome) -> Void] = []
    /// Nothing of it lives any more, detached parts included.
    var isOver = false
    /// Told when it is over.
    var overWaiters: [@Sendable () -> Void] = []
    /// Where the tree lives, until nothing of it does.
    var root: StrandID?
    var runtime: Runtime?
    var inheritance: ParkedTask?
    /// A thread is using the inheritance up and about to replace it; it also runs what comes meanwhile.
    var isInheriting = false
    var heirs: [@Sendable () -> Void] = []
  }

  /// Whether an operation of it may have to start when nothing of its caller's is running any more.
  let mayOperate: Bool
  private let state = Mutex(State())

  init(mayOperate: Bool) { self.mayOperate = mayOperate }

  // MARK: Waiting

  var outcomeIfSettled: EffectOutcome? { state.withLock { $0.outcome } }

  func outcome() async -> EffectOutcome {
    await withUnsafeContinuation { continuation in
      whenSettled { _ in continuation.resume() }
    }
    guard let outcome = outcomeIfSettled else { preconditionFailure("a tree that has settled has no outcome") }
    return outcome
  }

  /// Calls `body` once, with how the tree ended; at once if it has.
  func whenSettled(_ body: @escaping @Sendable (EffectOutcome) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiters.append(body) }
      return state.outcome
    }
    if let outcome { body(outcome) }
  }

  /// The attached part of the tree has settled, and with it all of the tree if `isOver`.
  func settle(_ outcome: EffectOutcome, isOver: Bool) {
    let waiters = state.withLock { state in
      state.outcome = outcome
      state.isOver = isOver
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter(outcome) }
    if isOver { end() }
  }

  /// Whether nothing of it lives any more, detached parts included.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Calls `body` once nothing of the tree lives any more; at once if that is so.
  func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.overWaiters.append(body) }
      return state.isOver
    }
    if isOver { body() }
  }

  // MARK: Cancelling

  /// The tree lives under this strand; `nil`: all of it is over already.
  func began(at root: StrandID?, in runtime: Runtime) {
    guard let root else { return }
    state.withLock { state in
      guard !state.isOver else { return }
      state.root = root
      state.runtime = runtime
    }
  }

  func cancel() {
    let (root, runtime) = state.withLock { ($0.root, $0.runtime) }
    if let root, let runtime { runtime.cancelTree(root) }
  }

  // MARK: Inheritance

  /// Called where the task-local values and the priority are those of whoever received the tree: keeps them for operations
  /// that will have to start from elsewhere.
  ///
  /// It calls no code of the user's, so that it may be called under the store's lock, before anything can start from elsewhere.
  func keepInheritance() {
    guard mayOperate, state.withLock({ $0.inheritance == nil }) else { return }
    let parked = ParkedTask()
    let superfluous = state.withLock { state in
      guard state.inheritance == nil, !state.isOver else { return parked as ParkedTask? }
      state.inheritance = parked
      return nil
    }
    superfluous?.run {}
  }

  /// Runs `body` with the values and the priority of the tree's receiver, and keeps them for the next time.
  ///
  /// If another thread is at the same just now, that one runs it.
  func inherit(_ body: @escaping @Sendable () -> Void) {
    let (parked, isLeft) = state.withLock { state -> (ParkedTask?, isLeft: Bool) in
      if state.isInheriting {
        state.heirs.append(body)
        return (nil, true)
      }
      defer { state.inheritance = nil }
      state.isInheriting = state.inheritance != nil
      return (state.inheritance, false)
    }
    if isLeft { return }
    guard let parked else { return body() }
    parked.run {
      self.keepInheritance()
      let heirs = self.state.withLock { state in
        state.isInheriting = false
        defer { state.heirs = [] }
        return state.heirs
      }
      body()
      for heir in heirs { heir() }
    }
  }

  /// Nothing of the tree lives any more.
  func end() {
    // What is let go of is let go of after the lock.
    let (parked, overWaiters, _) = state.withLock { state in
      defer {
        state.isOver = true
        state.root = nil
        state.runtime = nil
        state.inheritance = nil
        state.overWaiters = []
      }
      return (state.inheritance, state.overWaiters, state.runtime)
    }
    parked?.run {}
    for waiter in overWaiters { waiter() }
  }

  deinit { end() }
}
