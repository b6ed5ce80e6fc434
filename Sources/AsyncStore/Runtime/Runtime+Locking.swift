import CAsyncStore
import Synchronization

/// The store's one lock: taking it, waiting for it, and the work that follows once the thread holds none.
extension Runtime {
  /// Locks, and traps with a message if this thread already holds the lock.
  ///
  /// Consequences of calls that `body` makes to other stores, for example by releasing one, follow once the thread has
  /// no store locked.
  func lock<Result>(_ body: (inout Core) -> Result) -> Result { lockInlined(body) }

  /// Locks like ``lock(_:)``, for the most common events.
  ///
  /// Inlined, so that `body` becomes part of the caller.
  @inline(__always)
  func lockInlined<Result>(_ body: (inout Core) -> Result) -> Result {
    let answer = lockOnly(body)
    DeferredWork.carryOutIfDue()
    return answer
  }

  /// Locks without carrying out the work that is deferred meanwhile.
  ///
  /// The caller carries it out after its own barrier, for example with ``finish(_:driver:in:mayCommit:handover:_:)``;
  /// otherwise that work could wait for the barrier.
  @inline(__always)
  func lockOnly<Result>(_ body: (inout Core) -> Result) -> Result {
    if !tryLock() { waitForLock() }
    defer { unlock() }
    return body(&content.core.pointee)
  }

  /// Locks like ``lock(_:)``, unless this thread already holds the lock.
  ///
  /// - Returns: `nil` if it does.
  @inline(__always)
  func lockUnlessLockedHere<Result>(_ body: (inout Core) -> Result) -> Result? {
    isLockedHere ? nil : lockInlined(body)
  }

  /// Locks like ``lockOnly(_:)`` if no thread holds the lock.
  ///
  /// - Returns: `nil` if a thread holds it, possibly this one.
  @inline(__always)
  func lockIfAvailable<Result>(_ body: (inout Core) -> Result) -> Result? {
    guard tryLock() else { return nil }
    defer { unlock() }
    return body(&content.core.pointee)
  }

  /// Locks if no thread holds the lock.
  ///
  /// The mutex is locked by a separate call and not around a closure: the waiting path would be a second place to
  /// compile the closure into, and would count its captures once more, even for a caller that does not wait. That took
  /// a task 250 instructions (`Tests/Benchmarks/instructions P2`). The underscored functions are the public ones of a
  /// mutex without a value.
  @inlinable
  @inline(__always)
  func tryLock() -> Bool {
    guard isUnlocked, content.mutex.pointee._unsafeTryLock() else { return false }
    noteLocked()
    return true
  }

  /// Unlocks without carrying out the work that was deferred meanwhile.
  @inlinable
  @inline(__always)
  func unlock() {
    noteUnlocked()
    content.mutex.pointee._unsafeUnlock()
  }

  /// Locks once no other thread holds the lock, and traps if this one does.
  @inline(never)
  private func waitForLock() {
    // Checked only if the lock is not available at once.
    trap(
      unless: !isLockedHere,
      "A closure that runs under the store's lock called the store itself: a mutation, or a getter or `==` of one of "
        + "its properties. Read from the state that the closure is given. For what has to follow, return an effect "
        + "from `update`."
    )
    waiters.add(1, ordering: .relaxed)
    defer { noteAdmitted() }
    // Most changes take less time than putting a thread to sleep and waking it up. Without this loop, two threads that
    // fulfil orders in one store lose a third of their time.
    for _ in 0..<Thread.spinLimit {
      Thread.pause()
      guard isUnlocked else { continue }
      if tryLock() { return }
      // The kernel has handed the lock to a sleeping thread, which needs a processor to continue. Until then each
      // attempt would be in vain, so this thread gets in line too.
      break
    }
    content.mutex.pointee._unsafeLock()
    noteLocked()
  }

  private func noteAdmitted() {
    waiters.subtract(1, ordering: .relaxed)
    admissions.add(1, ordering: .relaxed)
  }

  /// Changes the state if nobody has to be notified, and tries nothing else.
  ///
  /// Inlined into client code: a lock, two checks and the change. By the next path, a bare `set` takes 110 instructions
  /// instead of 37 (`Tests/Benchmarks/instructions P1a`).
  ///
  /// - Returns: true if the state was changed.
  @inlinable
  @inline(__always)
  func changeIfUnobserved(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
    guard isUnlocked, content.mutex.pointee._unsafeTryLock() else { return false }
    guard content.core.pointee.isUnobserved else {
      content.mutex.pointee._unsafeUnlock()
      return false
    }
    noteLocked()
    body(content.state)
    unlock()
    DeferredWork.carryOutIfDue()
    return true
  }

  /// Reads the state if the lock is available at once.
  ///
  /// Inlined into client code, where the type of the state is known, so that `body` accesses it directly.
  ///
  /// - Returns: true if the state was read.
  @inlinable
  @inline(__always)
  func readIfAvailable(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
    guard tryLock() else { return false }
    body(content.state)
    unlock()
    DeferredWork.carryOutIfDue()
    return true
  }

  /// False while a thread holds the lock.
  ///
  /// Checked before each attempt to lock: on Linux, a failing attempt is a system call, and makes unlocking one too.
  @inlinable
  @inline(__always)
  var isUnlocked: Bool { lockingThread.load(ordering: .relaxed) == 0 }

  @inlinable
  @inline(__always)
  func noteLocked() {
    let thread = Thread.record
    lockingThread.store(UInt(bitPattern: thread), ordering: .relaxed)
    thread.pointee.lockCount &+= 1
  }

  @inlinable
  @inline(__always)
  func noteUnlocked() {
    lockingThread.store(0, ordering: .relaxed)
    Thread.record.pointee.lockCount &-= 1
  }

  /// Lets a waiting thread have the lock before this one takes it again.
  ///
  /// A mutex need not be fair: a thread that takes it again at once may get it, and the others would wait forever. On
  /// Linux, the mutex hands the lock to a waiting thread, so that tests there pass without this call; on Apple's
  /// platforms it does not.
  func giveWay() {
    let admitted = admissions.load(ordering: .relaxed)
    while hasWaiters, admissions.load(ordering: .relaxed) == admitted { Thread.yield() }
  }

  /// True if another thread waits for the lock.
  var hasWaiters: Bool { waiterCount > 0 }

  /// The number of threads that wait for the lock.
  var waiterCount: Int { waiters.load(ordering: .relaxed) }

  /// True if this thread holds the lock, so that user code is being called under it.
  var isLockedHere: Bool { lockingThread.load(ordering: .relaxed) == Thread.current }
}
