import CAsyncStore

/// The work that a thread puts off until it has no store locked.
///
/// A mutation may drop another store, end it, or cancel something in it. What follows needs the locks of further stores,
/// which other threads may have in mutations of theirs, and these may want this one's. So a thread waits for nothing of
/// another store while it has a lock, and does it before the call returns that the mutation is part of.
@usableFromInline
final class DeferredWork {
  private var wave: BarrierWave?
  private var closures: [() -> Void] = []

  /// True if this thread has a store locked, and something has to be put off.
  static var isNeeded: Bool { Thread.record.pointee.lockCount > 0 }

  /// This thread's work, which is made when there is none.
  private static var current: DeferredWork {
    let thread = Thread.record
    if let known = thread.pointee.deferredWork { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
    let new = DeferredWork()
    thread.pointee.deferredWork = Unmanaged.passRetained(new).toOpaque()
    return new
  }

  /// Puts off the spread of a barrier, with those put off before.
  static func append(_ cancels: Cancels, of runtime: Runtime) {
    let work = current
    if work.wave == nil { work.wave = BarrierWave() }
    work.wave?.take(cancels, of: runtime)
  }

  /// Takes the barrier that this thread has put off.
  static func takeWave() -> BarrierWave? { Thread.record.pointee.deferredWork == nil ? nil : current.wave.take() }

  /// Puts everything off that comes while `body` is called.
  static func hold(_ body: () -> Void) {
    Thread.record.pointee.lockCount += 1
    body()
    Thread.record.pointee.lockCount -= 1
  }

  /// Calls `body` when this thread has no store locked, which may be at once.
  static func whenUnlocked(_ body: @escaping () -> Void) {
    if isNeeded { current.closures.append(body) } else { body() }
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
    let thread = Thread.record
    guard thread.pointee.lockCount == 0, let known = thread.pointee.deferredWork else { return }
    thread.pointee.deferredWork = nil
    let work = Unmanaged<DeferredWork>.fromOpaque(known).takeRetainedValue()
    var round: LiftRound?
    work.wave?.carryOut(&round)
    round?.run()
    for closure in work.closures { closure() }
  }
}
