import CAsyncStore

/// The work that a thread defers until it holds no store's lock.
///
/// A mutation may call other stores, release one, or end one. Each such call steps the machine of its own store and
/// commits at once. Its consequences need the locks of further stores, or call user code: other threads may hold these
/// locks, in mutations of their own, and wait for this one's. So a thread that holds a lock defers all consequences
/// until it has released its last lock, and carries them out before the call that contains the mutation returns.
@usableFromInline
final class DeferredWork {
  private(set) var deferredChores: ContiguousArray<DeferredChores> = []
  private(set) var closures: [() -> Void] = []
  private lazy var latch = Latch()

  /// True if this thread, which has locked a store, has locked another one too.
  static var isNested: Bool { Thread.record.pointee.lockCount > 1 }

  /// True if work was deferred.
  static var isPending: Bool { Thread.record.pointee.deferredWork != nil }

  /// The latch of the barriers that this thread defers, which arrive together.
  static var latch: Latch { current.latch }

  /// This thread's work, created if there is none.
  private static var current: DeferredWork {
    let thread = Thread.record
    if let known = thread.pointee.deferredWork { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
    let new = DeferredWork()
    thread.pointee.deferredWork = Unmanaged.passRetained(new).toOpaque()
    return new
  }

  /// Defers the consequences of a call.
  static func append(_ deferred: DeferredChores) { current.deferredChores.append(deferred) }

  /// Calls `body` once this thread holds no store's lock, possibly at once.
  static func whenUnlocked(_ body: @escaping () -> Void) {
    if Thread.hasLockedStore { current.closures.append(body) } else { body() }
  }

  /// Waits until the task's job runs outside all mutations; a store's tasks must do nothing inside one.
  ///
  /// A job runs inside a mutation if the mutation drains the task's executor, or if it resumes a task whose executor
  /// runs the job at once.
  ///
  /// Callers first check whether this is necessary, because an asynchronous call costs more than the check.
  ///
  /// The function stays on the caller's actor: hopping back would be another job, which may run in a mutation as well.
  static func leaveMutations(isolation: isolated (any Actor)? = #isolation) async {
    while Thread.hasLockedStore {
      await withCheckedContinuation { continuation in whenUnlocked { continuation.resume() } }
    }
  }

  /// Takes this thread's deferred work.
  static func take() -> DeferredWork? {
    let thread = Thread.record
    guard let known = thread.pointee.deferredWork else { return nil }
    thread.pointee.deferredWork = nil
    return Unmanaged.fromOpaque(known).takeRetainedValue()
  }

  /// Carries out deferred work if the thread has just released its last lock.
  @inlinable
  @inline(__always)
  static func carryOutIfDue() {
    if Thread.record.pointee.deferredWork != nil { carryOut() }
  }

  @usableFromInline
  @inline(never)
  static func carryOut() {
    if !Thread.hasLockedStore { BarrierWave.carryOutDeferred() }
  }
}
