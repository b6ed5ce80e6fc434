import Synchronization

/// One run of a fiber's operations: a task, a source, another store's effect.
///
/// It has a lock of its own and not the store's, which is left to what has to be ordered: starting a run and asking it
/// to end take place beside it. Stores its inputs, so that the task's closure captures only the run and needs no
/// allocation of its own.
final class Run: Sendable {
  /// How to ask it to end.
  private enum Way {
    case none
    case task(Task<Void, Never>)
    case closure(@Sendable () -> Void)
    /// The tree in the other store, which is kept alive for it. It is cancelled by a ``BarrierWave``, and not here.
    case lifted(TreeContext, AnyAsyncStore)
    /// That tree has been asked to end, and its store stays for what it cleans up.
    case cleaningUp(AnyAsyncStore)
    /// It has ended by itself.
    case ended

    func take() {
      switch self {
      case .none, .lifted, .cleaningUp, .ended: break
      case .task(let task): task.cancel()
      case .closure(let closure): closure()
      }
    }
  }

  let runtime: Runtime
  let id: FiberID
  /// The effect that it begins with, until it is started: from then on the one that runs it lets go of it.
  ///
  /// `nonisolated(unsafe)`: no two threads touch it at a time. `init` writes it before the run is shared. Then only
  /// ``takeFirst()`` does, which the run's one starter calls once: the thread that carries out its chore, or the task
  /// that this thread makes. A run that is cancelled before is not asked; `deinit` comes after both.
  nonisolated(unsafe) private var first: EffectNode?
  /// Whether it has another store interpret an effect.
  let isLift: Bool
  /// The tree that it is part of.
  let tree: TreeContext?
  private let way = Mutex(Way.none)
  // Written under the store's lock, and read without it, before users' code is called on the run's behalf.
  private let cancelled = Atomic<Bool>(false)

  init(_ runtime: Runtime, _ id: FiberID, _ first: EffectNode, tree: TreeContext?) {
    self.runtime = runtime
    self.id = id
    self.first = first
    self.tree = tree
    isLift = first.isLift
  }

  /// For what a lift has left running in the other store: there is nothing to start.
  init(standingForLift id: FiberID, of runtime: Runtime, tree: TreeContext?) {
    self.runtime = runtime
    self.id = id
    self.tree = tree
    isLift = true
  }

  func takeFirst() -> EffectNode {
    guard let node = first.take() else { preconditionFailure("a run is started twice, or stands for a lift") }
    return node
  }

  /// Whether it was cancelled.
  ///
  /// True from the moment of the barrier, before it has been asked to end: no further operation or mapping of it may
  /// begin.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// The barrier, under the store's lock.
  func markCancelled() { cancelled.store(true, ordering: .releasing) }

  /// It has been started: this is how to ask it to end.
  ///
  /// If it has been cancelled in between, it is asked here.
  func started(cancel: @escaping @Sendable () -> Void) { started(.closure(cancel)) }

  func started(_ task: Task<Void, Never>) { started(.task(task)) }

  /// Its effect is about to begin in another store as this tree, which is refused there if it has been cancelled.
  func started(lifting tree: TreeContext, into store: AnyAsyncStore) {
    if started(.lifted(tree, store)) { tree.markCancelled() }
  }

  /// The other store, as long as anything of the lift is there.
  var liftTarget: AnyAsyncStore? {
    way.withLock { way in
      switch way {
      case .lifted(_, let store), .cleaningUp(let store): store
      case .none, .task, .closure, .ended: nil
      }
    }
  }

  /// Has a task run the fiber's operations.
  func drive() {
    // Each literal on its own: a closure that is passed on is wrapped, and each layer is a call of the task's.
    if let executor = runtime.executor {
      started(Task(executorPreference: executor) { await self.runtime.operate(self) })
    } else {
      started(Task { await self.runtime.operate(self) })
    }
  }

  /// - Returns: whether it comes too late, and has been asked to end.
  @discardableResult
  private func started(_ new: Way) -> Bool {
    let isLate = way.withLock { way in
      let isCancelled = cancelled.load(ordering: .relaxed)
      // One that has ended before this is known of has nothing to be asked, and what it holds would stay for ever.
      if case .ended = way { return isCancelled }
      if !isCancelled { way = new }
      return isCancelled
    }
    if isLate { new.take() }
    return isLate
  }

  /// Asks it to end; it is marked already.
  func askToEnd() { takeWay().take() }

  /// The tree in the other store, which the caller cancels there.
  func takeLifted() -> TreeContext? {
    way.withLock { way in
      guard case .lifted(let tree, let store) = way else { return nil }
      way = .cleaningUp(store)
      return tree
    }
  }

  /// It has ended by itself: what would have asked it to end is released.
  func ended() { withExtendedLifetime(replaceWay(by: .ended)) {} }

  private func takeWay() -> Way { replaceWay(by: .none) }

  /// Swaps, and keeps the old one beyond the lock: its release may end a store, whose barrier comes back to this run.
  private func replaceWay(by new: Way) -> Way {
    var way = new
    self.way.withLock { swap(&$0, &way) }
    return way
  }
}
