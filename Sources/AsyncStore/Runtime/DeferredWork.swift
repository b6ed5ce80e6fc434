import CAsyncStore

/// The work that a thread puts off until it has no store locked.
///
/// A mutation may drop another store, end it, or cancel something in it. The consequences need the locks of further
/// stores, which other threads may hold in mutations of their own, while they wait for this thread's. So a thread that
/// holds a lock waits for nothing of another store; it carries out the consequences before the outermost call returns.
@usableFromInline
final class DeferredWork {
  private var wave: BarrierWave?
  private var closures: [() -> Void] = []

  /// True if this thread has a store locked, so that consequences have to be put off.
  static var isNeeded: Bool { Thread.record.pointee.lockCount > 0 }

  /// This thread's work; made if there is none.
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

  /// Puts off everything that comes up while `body` is called.
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
