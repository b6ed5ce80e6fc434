import Synchronization

/// One run of a strand's operations: a task, a source, another store's effect.
///
/// It has a lock of its own and not the store's, which is left to what has to be ordered: starting and cancelling a run
/// takes place beside it.
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

  /// The tree that it is part of.
  let tree: TreeContext?
  private let way = Mutex(Way.none)
  // Written under the lock, and read without it, before each operation.
  private let cancelled = Atomic<Bool>(false)

  init(tree: TreeContext?) { self.tree = tree }

  /// Whether it was cancelled; asked before its first instruction, so that it then never runs.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// It has been started: this is how to ask it to end.
  ///
  /// If it has been cancelled in between, it is asked here.
  func started(cancel: @escaping @Sendable () -> Void) { started(.closure(cancel)) }

  func started(_ task: Task<Void, Never>) { started(.task(task)) }

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

/// Who runs a strand's operations: one task or one loop runs all of a kind that follow each other.
struct Driver {
  let id: StrandID
  let run: Run
  let kind: EffectKind
}
