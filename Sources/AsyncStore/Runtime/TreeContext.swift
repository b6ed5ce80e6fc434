import Synchronization

/// What the shell knows of one received tree: who waits for it, and where its operations get their task-local values.
final class TreeContext: Sendable {
  private struct State {
    var outcome: EffectOutcome?
    var waiters: [@Sendable (EffectOutcome) -> Void] = []
    /// Told when it is over.
    var overWaiters: [@Sendable () -> Void] = []
    /// Where the tree lives, until nothing of it does.
    var runtime: Runtime?
    var root: StrandID?
    /// The tree itself, and what it has left behind.
    var living = 1
    var isCancelled = false
    var inheritance: ParkedTask?
    /// A thread is using the inheritance up and about to replace it; it also runs what comes meanwhile.
    var isInheriting = false
    var heirs: [@Sendable () -> Void] = []
  }

  /// Whether an operation of it may have to start when nothing of its caller's is running any more.
  let mayOperate: Bool
  private let state: Mutex<State>

  init(_ runtime: Runtime, mayOperate: Bool) {
    self.mayOperate = mayOperate
    state = Mutex(State(runtime: runtime))
  }

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
      if isOver { state.living -= 1 }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter(outcome) }
    if isOver { endIfOver() }
  }

  /// Something that the tree has left behind lives beside it.
  func adopted() { state.withLock { $0.living += 1 } }

  /// The tree is over after it settled before, or something that it left behind is.
  func over() {
    state.withLock { $0.living -= 1 }
    endIfOver()
  }

  /// Whether nothing of it lives any more, detached parts included.
  var isOver: Bool { state.withLock { $0.living == 0 } }

  /// Calls `body` once nothing of the tree lives any more; at once if that is so.
  func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.living > 0 { state.overWaiters.append(body) }
      return state.living == 0
    }
    if isOver { body() }
  }

  // MARK: Cancelling

  /// The tree lives under this strand; `nil`: all of it is over already.
  func began(at root: StrandID?) { state.withLock { $0.root = root } }

  var root: StrandID? { state.withLock { $0.root } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// A barrier, also where the tree is just about to begin on another thread.
  func cancel() {
    let runtime = state.withLock { state in
      state.isCancelled = true
      return state.runtime
    }
    runtime?.cancel(self)
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
      guard state.inheritance == nil, state.living > 0 else { return parked as ParkedTask? }
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

  private func endIfOver() {
    // What is let go of is let go of after the lock.
    let (parked, waiters, _) = state.withLock { state -> (ParkedTask?, [@Sendable () -> Void], Runtime?) in
      guard state.living == 0 else { return (nil, [], nil) }
      defer {
        state.root = nil
        state.runtime = nil
        state.inheritance = nil
        state.overWaiters = []
      }
      return (state.inheritance, state.overWaiters, state.runtime)
    }
    parked?.run {}
    for waiter in waiters { waiter() }
  }

  deinit { state.withLock { $0.inheritance }?.run {} }
}
