import Synchronization

/// What the shell knows of one received tree: who waits for it, and where its operations get their task-local values.
final class TreeContext: Sendable {
  private struct State {
    var outcome: EffectOutcome?
    var waiters: [@Sendable (EffectOutcome) -> Void] = []
    var root: StrandID?
    var inheritance: ParkedTask?
    /// A thread is using the inheritance up and about to replace it; it also runs what comes meanwhile.
    var isInheriting = false
    var heirs: [@Sendable () -> Void] = []
    /// Once the store is gone: operations that have not returned, less those that returned before they were counted.
    var orphans = 0
    var isOrphaned = false
  }

  private weak let store: AnyAsyncStore?
  /// Whether an operation of it may have to start when nothing of its caller's is running any more.
  let mayOperate: Bool
  private let state = Mutex(State())

  init(store: AnyAsyncStore, mayOperate: Bool) {
    self.store = store
    self.mayOperate = mayOperate
  }

  // MARK: Waiting

  var outcomeIfSettled: EffectOutcome? { state.withLock { $0.outcome } }

  func outcome() async -> EffectOutcome {
    await withUnsafeContinuation { continuation in
      whenSettled { continuation.resume(returning: $0) }
    }
  }

  /// Calls `body` once, with how the tree ended; at once if it has.
  func whenSettled(_ body: @escaping @Sendable (EffectOutcome) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiters.append(body) }
      return state.outcome
    }
    if let outcome { body(outcome) }
  }

  /// The attached part of the tree has settled.
  func settle(_ outcome: EffectOutcome) {
    let waiters = state.withLock { state in
      guard state.outcome == nil else { return [@Sendable (EffectOutcome) -> Void]() }
      state.outcome = outcome
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter(outcome) }
  }

  /// The store is gone, and so is its machine; that many of the tree's operations are still running.
  func orphan(running count: Int) {
    let isOver = state.withLock { state in
      state.isOrphaned = true
      state.orphans += count
      return state.orphans == 0
    }
    if isOver { settle(.cancelled) }
  }

  /// An operation has returned and found its store gone.
  func orphanReturned() {
    let isOver = state.withLock { state in
      state.orphans -= 1
      return state.isOrphaned && state.orphans == 0
    }
    if isOver { settle(.cancelled) }
  }

  // MARK: Cancelling

  /// The tree lives under this strand; `nil`: all of it is over already.
  func began(at root: StrandID?) { state.withLock { $0.root = root } }

  var root: StrandID? { state.withLock { $0.root } }

  func cancel() {
    guard let root = state.withLock({ $0.root }) else { return }
    store?.cancelTree(root)
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
      guard state.inheritance == nil, !(state.outcome != nil && state.root == nil) else { return parked as ParkedTask? }
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
    let parked = state.withLock { state in
      defer { state.inheritance = nil }
      state.root = nil
      return state.inheritance
    }
    parked?.run {}
  }

  deinit { end() }
}
