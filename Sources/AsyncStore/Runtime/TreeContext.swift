import Synchronization

/// The shell's data about one received tree: its waiters, and the source of its operations' task-local values.
@usableFromInline
final class TreeContext: Sendable {
  /// Fields are ordered to avoid padding: a million trees may be waiting.
  private struct State {
    var outcome: EffectOutcome?
    var waiters: [Waiter] = []
    /// The runtime of the tree, until no part of the tree is alive.
    var runtime: Runtime?
    var root: FiberID?
    /// The inheritance of operations that start from elsewhere.
    var inheritance: Inheritance<InheritedValues>
    var isCancelled = false
    /// The ending of the tree for the lift that it belongs to.
    var liftEnding = LiftEnding.incomplete
    /// The number of living parts: the tree itself, and the roots that it has left behind.
    var living: Int32 = 1

    mutating func takeRemains() -> Remains {
      guard living == 0 else { return Remains() }
      root = nil
      return Remains(values: inheritance.takeValues(), runtime: runtime.take())
    }
  }

  /// The references to release after the lock, once no part of the tree is alive.
  private struct Remains {
    var values: InheritedValues?
    var runtime: Runtime?

    /// Called after the lock, because releasing a store releases its state, which belongs to the user.
    consuming func release() {}
  }

  private enum Waiter {
    case closure(@Sendable (EffectOutcome) -> Void)
    case continuation(UnsafeContinuation<EffectOutcome, Never>)
    /// A lift of another store, to be continued.
    case lift(Run)
    /// A run of another store that ends once no part of the tree is alive: a lift that can't end earlier, or the source
    /// that stands for the tree's remains.
    case untilOver(Run)

    var isUntilOver: Bool { if case .untilOver = self { true } else { false } }
  }

  private let state: Mutex<State>
  /// True if another store has lifted the tree, and continues when it has settled.
  let isLifted: Bool
  /// True if the tree was lifted in the middle of a turn, by an effect of a source's value that comes after others.
  let comesAfterOthers: Bool

  /// - Parameters:
  ///   - mayOperate: true if an operation of the tree may have to start when none of its caller's code is running any
  ///     more.
  ///   - run: the run of the other store that lifts the tree, if there is one.
  init(_ runtime: Runtime, mayOperate: Bool, liftedBy run: Run? = nil) {
    state = Mutex(State(runtime: runtime, inheritance: Inheritance(mayOperate: mayOperate)))
    isLifted = run != nil
    comesAfterOthers = run?.comesAfterOthers ?? false
  }

  // MARK: Waiting

  var outcomeIfSettled: EffectOutcome? { state.withLock { $0.outcome } }

  /// The ending of the settled tree for the lift that it belongs to.
  var liftEnding: LiftEnding { state.withLock { $0.liftEnding } }

  // Inlined, because each level of asynchronous calls has a frame of its own.
  @inline(__always)
  nonisolated(nonsending) func outcome() async -> EffectOutcome {
    await withUnsafeContinuation { continuation in
      if let outcome = add(.continuation(continuation)) { continuation.resume(returning: outcome) }
    }
  }

  /// Calls `body` once with the tree's outcome, at once if the tree has settled.
  func whenSettled(_ body: @escaping @Sendable (EffectOutcome) -> Void) {
    if let outcome = add(.closure(body)) { body(outcome) }
  }

  /// Resumes the run of a lift once the tree has settled.
  ///
  /// - Returns: true if the tree has not settled.
  func whenSettled(resume run: Run) -> Bool {
    add(.lift(run)) == nil
  }

  /// - Returns: the outcome if the tree has settled; the waiter is then not added.
  private func add(_ waiter: Waiter) -> EffectOutcome? {
    state.withLock { state in
      if state.outcome == nil { state.waiters.append(waiter) }
      return state.outcome
    }
  }

  /// Records that the attached part of the tree has settled and, if `isOver`, everything else too.
  func settle(_ outcome: EffectOutcome, isOver: Bool, _ liftEnding: LiftEnding, _ round: inout Round?) {
    var waiters: [Waiter]?
    let remains = state.withLock { state in
      (state.outcome, state.liftEnding) = (outcome, liftEnding)
      if isOver { state.living -= 1 }
      // Waiters for the end of the whole tree register only after this.
      if !state.waiters.isEmpty {
        waiters = state.waiters
        state.waiters = []
      }
      return isOver ? state.takeRemains() : Remains()
    }
    for waiter in waiters ?? [] {
      switch waiter {
      case .closure(let body): body(outcome)
      case .continuation(let continuation): continuation.resume(returning: outcome)
      case .lift(let run): round.orNew.settled(run, self)
      case .untilOver: preconditionFailure("a tree is over no sooner than it has settled")
      }
    }
    remains.release()
  }

  /// Records that the whole tree has settled, at the end of an event that is not part of another event's round.
  func settle(_ outcome: EffectOutcome) {
    var round: Round?
    settle(outcome, isOver: true, outcome.isFinished ? .completed : .incomplete, &round)
    round?.run()
  }

  /// Records that a root left behind by the tree lives beside it.
  func addRoot() { state.withLock { $0.living += 1 } }

  /// Records the end of one living part of the tree.
  ///
  /// The machine has settled the tree by now, but the thread that calls `settle` may come later.
  func over(_ round: inout Round?) {
    let (waiters, remains) = state.withLock { state -> ([Waiter], Remains) in
      state.living -= 1
      guard state.living == 0 else { return ([], Remains()) }
      // Waiters for the outcome are called by `settle`, which may come later, on another thread.
      defer { state.waiters.removeAll(where: \.isUntilOver) }
      return (state.waiters.filter(\.isUntilOver), state.takeRemains())
    }
    remains.release()
    for case .untilOver(let run) in waiters { round.orNew.over(run) }
  }

  /// True if no part of the tree is alive, including detached parts.
  var isOver: Bool { state.withLock { $0.living == 0 } }

  /// Ends a run once no part of the tree, which has settled, is alive.
  ///
  /// - Returns: true if any part is still alive.
  func whenOver(resume run: Run) -> Bool {
    state.withLock { state in
      precondition(state.outcome != nil, "a tree is over no sooner than it has settled")
      if state.living > 0 { state.waiters.append(.untilOver(run)) }
      return state.living > 0
    }
  }

  // MARK: Cancelling

  /// Records the root fiber of the tree, or `nil` if the whole tree is already over.
  func began(at root: FiberID?) { state.withLock { $0.root = root } }

  var root: FiberID? { state.withLock { $0.root } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Stops the timers and sources of this lifted tree, or lets them begin again, as the lift's own store does.
  ///
  /// Effects that they have begun continue.
  func drain(as run: Run, in round: Round) {
    guard let runtime = state.withLock(\.runtime) else { return }
    runtime.perform(round: round) { core in
      guard let root = self.root else { return }
      // Checked here, so that of two threads the last one has the newest answer.
      if run.isDraining {
        core.machine.treeDrainingBegan(root, &core.pass)
      } else {
        core.machine.treeDrainingEnded(root, &core.pass)
      }
    }
  }

  /// Cancels the tree: a barrier, even if the tree is about to begin on another thread.
  func cancel() {
    if let runtime = markCancelled() { runtime.perform { $0.cancel(self) } }
  }

  /// Cancels the tree because the task that waits for it is cancelled, which is no barrier.
  ///
  /// A mutation of this store or of another one may cancel the task; the cancel then follows the mutation.
  func callerCancelled() { DeferredWork.whenUnlocked { self.cancel() } }

  /// - Returns: the runtime in which to cancel the tree, or `nil` if no part of it is alive.
  @discardableResult
  func markCancelled() -> Runtime? {
    state.withLock { state in
      state.isCancelled = true
      return state.runtime
    }
  }

  // MARK: Inheritance

  /// Keeps the current task-local values and priority, which are those of the tree's receiver.
  ///
  /// Operations that have to start from elsewhere later use them.
  ///
  /// Calls no user code, so that it may be called under the store's lock, before anything can start from elsewhere.
  func keepInheritance() {
    let priority = TaskLocalValues.areNone ? Thread.basePriority : nil
    if state.withLock({ $0.inheritance.keep(priority: priority, isAlive: $0.living > 0) }) {
      share(Inheritance(InheritedValues()))
    }
  }

  /// Makes the tree start its operations without task-local values, at the default priority.
  func inheritNothing() { share(Inheritance(priority: TaskPriority.medium.rawValue)) }

  /// Shares the values of the tree that this one is lifted from; those values are not bound on this thread.
  func inherit(from tree: TreeContext) { share(tree.state.withLock(\.inheritance)) }

  private func share(_ inheritance: Inheritance<InheritedValues>) {
    state.withLock { if $0.living > 0 { $0.inheritance.adopt(inheritance) } }
  }

  /// Runs `body` on this thread, with the values and the priority of the tree's receiver if they were kept.
  func inherit(_ body: @escaping @Sendable () -> Void) {
    let inheritance = state.withLock(\.inheritance)
    switch inheritance.start(hasNoValues: TaskLocalValues.areNone, priority: Thread.basePriority) {
    case .here: body()
    case .inTask(let priority): ParkedTask(priority: TaskPriority(rawValue: priority)).run(body)
    case .with(let values): values.inherit(body)
    }
  }
}
