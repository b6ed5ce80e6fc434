import Synchronization

/// One run of a strand's operations: a task, a source, another store's effect.
///
/// It has a lock of its own and not the store's, which is left to what has to be ordered: starting and cancelling a run
/// takes place beside it. It knows all that it needs, so that the closure of its task captures nothing else, which takes no memory.
final class Run: Sendable {
  /// How to ask it to end.
  private enum Way {
    case none
    case task(Task<Void, Never>)
    case closure(@Sendable () -> Void)

    func take() {
      switch self {
      case .none: break
      case .task(let task): task.cancel()
      case .closure(let closure): Trampoline.cancelling.run(closure)
      }
    }
  }

  let runtime: Runtime
  let id: StrandID
  /// What it begins with.
  let first: EffectNode
  /// The tree that it is part of.
  let tree: TreeContext?
  private let way = Mutex(Way.none)
  // Written under the lock, and read without it, before each operation.
  private let cancelled = Atomic<Bool>(false)

  init(_ runtime: Runtime, _ id: StrandID, _ first: EffectNode, tree: TreeContext?) {
    self.runtime = runtime
    self.id = id
    self.first = first
    self.tree = tree
  }

  /// Whether it was cancelled; asked before its first instruction, so that it then never runs.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// It has been started: this is how to ask it to end.
  ///
  /// If it has been cancelled in between, it is asked here.
  func started(cancel: @escaping @Sendable () -> Void) { started(.closure(cancel)) }

  func started(_ task: Task<Void, Never>) { started(.task(task)) }

  /// Has a task run the strand's operations.
  func drive() {
    // Each literal on its own: a closure that is passed on is wrapped, and each layer is a call of the task's.
    if let executor = runtime.executor {
      started(Task(executorPreference: executor) { await self.runtime.operate(self) })
    } else {
      started(Task { await self.runtime.operate(self) })
    }
  }

  private func started(_ new: Way) {
    let isLate = way.withLock { way in
      let isCancelled = cancelled.load(ordering: .relaxed)
      if !isCancelled { way = new }
      return isCancelled
    }
    if isLate { new.take() }
  }

  func cancel() {
    let last = way.withLock { way in
      cancelled.store(true, ordering: .releasing)
      defer { way = .none }
      return way
    }
    last.take()
  }
}
