import Synchronization

/// One run of a fiber's operations: a task, a source, or another store's effect.
///
/// The run has a lock of its own, because the store's lock is only for what has to be ordered: tasks are started and
/// asked to end outside the store's lock. The run stores its inputs, so that the task's closure captures only the run.
final class Run: Sendable {
  /// The means of asking the run to end.
  enum Canceller {
    case none
    case task(Task<Void, Never>)
    case closure(@Sendable () -> Void)
    /// The tree in the other store, which is kept alive for it. A ``BarrierWave`` cancels the tree, not the canceller.
    case lifted(TreeContext, AnyAsyncStore)
    /// The tree has been asked to end, and its store is kept alive for the cleanup.
    case cleaningUp(TreeContext, AnyAsyncStore)
    /// The run has ended by itself.
    case ended

    func askToEnd() {
      switch self {
      case .none, .lifted, .cleaningUp, .ended: break
      case .task(let task): task.cancel()
      case .closure(let closure): closure()
      }
    }
  }

  let runtime: Runtime
  /// The bits of ``id``.
  private let idBits: Atomic<UInt64>
  /// A ``FastPaths`` value.
  private let fastPathBits: Atomic<UInt8>
  /// The first effect of the run, until the run is started, when its starter takes it.
  ///
  /// `nonisolated(unsafe)`: no two threads access it at the same time. `init` writes it before the run is shared. After
  /// that, only ``takeFirst()`` accesses it, and is called once: by the thread that carries out the run's chore, by the
  /// task that this thread creates, once it has started, by the thread that replaces the run with another, or by the
  /// thread that has withdrawn the run. `deinit` comes after all of these.
  nonisolated(unsafe) private var first: EffectNode?
  /// True if the run interprets an effect in another store.
  let isLift: Bool
  /// The tree that the run is part of.
  let tree: TreeContext?
  /// The data guarded by the run's own lock.
  private struct Guarded {
    /// Exchanged and never overwritten, so that the old one is released after the lock: it may hold the last reference
    /// to a store, whose end may cancel this run.
    var canceller = Canceller.none
    /// The record of the next operation, if an instrument wraps the operation and the store made the record under its
    /// lock.
    var record: EffectRecord?
  }

  private let guarded = Mutex(Guarded())
  /// The bits `isCancelled`, `isWithdrawn` and `isDraining` are written under the store's lock and read without it.
  ///
  /// `hasStarted` is written by an operation's task before anything else.
  private let progress: Atomic<UInt8>
  private static let isCancelled: UInt8 = 1
  private static let hasStarted: UInt8 = 2
  private static let isWithdrawn: UInt8 = 4
  private static let isDraining: UInt8 = 8

  init(
    _ runtime: Runtime, _ id: FiberID, _ first: EffectNode, tree: TreeContext?, isSource: Bool = false,
    fastPaths: FastPaths = .all
  ) {
    self.runtime = runtime
    idBits = Atomic(id.bits)
    fastPathBits = Atomic(fastPaths.rawValue)
    self.first = first
    self.tree = tree
    isLift = first.isLift
    // Sources and lifts are never withdrawn.
    progress = Atomic(isSource || isLift ? Self.hasStarted : 0)
  }

  /// Creates a run, with nothing to start, for the part that a lift has left running in the other store.
  init(standingForLift id: FiberID, of runtime: Runtime, tree: TreeContext?) {
    self.runtime = runtime
    idBits = Atomic(id.bits)
    self.tree = tree
    fastPathBits = Atomic(FastPaths.followingOnly.rawValue)
    isLift = true
    progress = Atomic(Self.hasStarted)
  }

  func takeFirst() -> EffectNode {
    guard let node = first.take() else { preconditionFailure("a run has nothing to start, or was started") }
    return node
  }

  /// True if the run was cancelled.
  ///
  /// The run is cancelled from the barrier on, before it is asked to end: no operation or mapping of the run may begin
  /// after the barrier.
  var isCancelled: Bool { progress.load(ordering: .acquiring) & Self.isCancelled != 0 }

  /// True while the run's fiber is known to drain.
  ///
  /// A lift that begins in the other store later drains there as soon as it has begun.
  var isDraining: Bool { progress.load(ordering: .acquiring) & Self.isDraining != 0 }
  func noteDraining(_ isDraining: Bool) {
    if isDraining {
      progress.bitwiseOr(Self.isDraining, ordering: .releasing)
    } else {
      progress.bitwiseAnd(~Self.isDraining, ordering: .releasing)
    }
  }

  /// Takes the place of a run that has not started, under the store's lock.
  func takePlace(of other: Run) {
    id = other.id
    fastPaths = other.fastPaths
    if runtime.instrumentation != nil { note(other.takeRecord()) }
  }

  /// The fiber whose operations the run performs.
  ///
  /// Changed under the store's lock. A read without the lock may return the fiber that has just handed over its
  /// operation, and that now waits for it.
  private(set) var id: FiberID {
    get { FiberID(bits: idBits.load(ordering: .relaxed)) }
    set { idBits.store(newValue.bits, ordering: .relaxed) }
  }

  /// Continues as the operation of another fiber, under the store's lock.
  func transfer(to new: FiberID) { id = new }

  /// The fast paths that the operation's end may take, decided when it began.
  var fastPaths: FastPaths {
    get { FastPaths(rawValue: fastPathBits.load(ordering: .relaxed)) ?? .followingOnly }
    set { fastPathBits.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// Stores the record of the next operation, which then need not take the store's lock to get it.
  func note(_ record: EffectRecord?) { guarded.withLock { $0.record = record } }

  func takeRecord() -> EffectRecord? { guarded.withLock { $0.record.take() } }

  /// Records that the operation's task has started.
  ///
  /// - Returns: false if the run has been withdrawn, so that the task has nothing to do or to report.
  func taskStarted() -> Bool {
    progress.bitwiseOr(Self.hasStarted, ordering: .acquiringAndReleasing).oldValue & Self.isWithdrawn == 0
  }

  /// True once the operation's task has started, after which the operation can't be withdrawn.
  var hasStarted: Bool { progress.load(ordering: .relaxed) & Self.hasStarted != 0 }

  /// Marks the run as cancelled, under the store's lock: the barrier.
  func markCancelled() { progress.bitwiseOr(Self.isCancelled, ordering: .releasing) }

  /// Marks an operation's run as cancelled and withdrawn, under the store's lock, unless its task has started.
  ///
  /// The operation then never begins, and the caller reports its end.
  ///
  /// - Returns: true if the run has been withdrawn; otherwise nothing has changed.
  func withdraw() -> Bool {
    let withdrawn = Self.isCancelled | Self.isWithdrawn
    return progress.compareExchange(expected: 0, desired: withdrawn, ordering: .acquiringAndReleasing).exchanged
  }

  /// Records that the effect is about to begin in another store as `tree`.
  ///
  /// The store refuses the tree if it has been cancelled.
  func started(lifting tree: TreeContext, into store: AnyAsyncStore) {
    if started(.lifted(tree, store)) { tree.markCancelled() }
  }

  /// True if the lift begins in the middle of a turn, for an effect of a source's value that comes after other effects.
  var comesAfterOthers: Bool {
    if let tree, tree.comesAfterOthers { return true }
    return Runtime.isInTurn && runtime.lock { $0.machine.comesAfterOthers(id) }
  }

  /// The other store, while any part of the lift is there.
  var liftTarget: AnyAsyncStore? {
    guarded.withLock { guarded in
      switch guarded.canceller {
      case .lifted(_, let store), .cleaningUp(_, let store): store
      case .none, .task, .closure, .ended: nil
      }
    }
  }

  /// The tree in the other store, while any part of the lift is there.
  var liftedTree: TreeContext? {
    guarded.withLock { guarded in
      switch guarded.canceller {
      case .lifted(let tree, _), .cleaningUp(let tree, _): tree
      case .none, .task, .closure, .ended: nil
      }
    }
  }

  /// Records that the run has started, and how to ask it to end.
  ///
  /// - Returns: true if the run was cancelled in between and has been asked to end.
  // Inlined, so that the canceller is moved and not copied.
  @inline(__always)
  @discardableResult
  func started(_ new: consuming Canceller) -> Bool {
    var other = new
    let isLate = guarded.withLock { guarded in
      let isCancelled = isCancelled
      // A run that has ended can no longer be asked, and objects that the canceller holds would stay forever.
      if case .ended = guarded.canceller { return isCancelled }
      if !isCancelled { swap(&guarded.canceller, &other) }
      return isCancelled
    }
    if isLate { other.askToEnd() }
    return isLate
  }

  /// Asks the run to end; it has already been marked.
  func askToEnd() { replaceCanceller(by: .none).askToEnd() }

  /// Takes the tree in the other store, which the caller cancels there.
  func takeLifted() -> TreeContext? {
    guarded.withLock { guarded in
      guard case .lifted(let tree, let store) = guarded.canceller else { return nil }
      guarded.canceller = .cleaningUp(tree, store)
      return tree
    }
  }

  /// Records that the run has ended by itself, and releases the canceller.
  func ended() { withExtendedLifetime(replaceCanceller(by: .ended)) {} }

  /// Replaces the canceller and returns the old one.
  private func replaceCanceller(by new: Canceller) -> Canceller {
    var canceller = new
    guarded.withLock { swap(&$0.canceller, &canceller) }
    return canceller
  }
}
