import CAsyncStore

/// The work that a thread puts off until it has no store locked.
///
/// A mutation may call other stores, drop one, or end one. Each such call steps the machine of its own store, and
/// commits, at once. All that follows from it needs the locks of further stores or calls users' code: other threads may
/// have these locks, in mutations of theirs, and want this one's. So a thread that has a lock puts all of that off. It
/// does it once it has released its last lock, before the call that the mutation is part of returns.
@usableFromInline
final class DeferredWork {
  private(set) var deferredChores: ContiguousArray<DeferredChores> = []
  private(set) var closures: [() -> Void] = []
  private lazy var latch = Latch()

  /// True if this thread, which has a store locked, has another one locked too.
  static var isNested: Bool { Thread.record.pointee.lockCount > 1 }

  /// True if something was put off.
  static var isPending: Bool { Thread.record.pointee.deferredWork != nil }

  /// The latch of the barriers that this thread puts off: they arrive together.
  static var latch: Latch { current.latch }

  /// This thread's work, which is made when there is none.
  private static var current: DeferredWork {
    let thread = Thread.record
    if let known = thread.pointee.deferredWork { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
    let new = DeferredWork()
    thread.pointee.deferredWork = Unmanaged.passRetained(new).toOpaque()
    return new
  }

  /// Puts off what follows from a call.
  static func append(_ deferred: DeferredChores) { current.deferredChores.append(deferred) }

  /// Calls `body` when this thread has no store locked, which may be at once.
  static func whenUnlocked(_ body: @escaping () -> Void) {
    if Thread.hasLockedStore { current.closures.append(body) } else { body() }
  }

  /// Waits until the task's job runs outside of all mutations, inside of which a store's tasks must do nothing.
  ///
  /// Their jobs run inside of one if the mutation drains their executor, or resumes a task and its executor runs the
  /// job at once.
  ///
  /// Callers check first whether it is necessary, because an asynchronous call costs more than the check.
  ///
  /// It stays on the caller's actor: hopping back would be another job, which may run in a mutation as well.
  static func leaveMutations(isolation: isolated (any Actor)? = #isolation) async {
    while Thread.hasLockedStore {
      await withCheckedContinuation { continuation in whenUnlocked { continuation.resume() } }
    }
  }

  /// Takes what this thread has put off.
  static func take() -> DeferredWork? {
    let thread = Thread.record
    guard let known = thread.pointee.deferredWork else { return nil }
    thread.pointee.deferredWork = nil
    return Unmanaged.fromOpaque(known).takeRetainedValue()
  }

  /// Carries out what was put off, if the thread has just released its last lock.
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
