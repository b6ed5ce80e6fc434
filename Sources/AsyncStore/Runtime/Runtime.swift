import CAsyncStore
import Synchronization

/// The shell around a store's machine, without the store's types: the one lock, and what happens before and after it.
///
/// A store is a thin object in front of its runtime. Tasks, bindings and handles hold the runtime; users hold the
/// store, and so do lifts into it while they run. So nothing of its own that is in flight keeps a store alive, and
/// whatever is still running when the store is released finds its machine where it was. The runtime is released with
/// the last operation that returns.
///
/// `@unchecked` for `content` and `associatedObject`. The state and the object are touched only while `core` is locked,
/// or after the store's last reference is gone, when nothing commits, observes or reads. The environment is written by
/// `init`, read by any thread, and released by `deinit`. The two flags of turns are touched on the store's actor only.
/// Everything else that changes is in `core`, a mutex, or atomic.
@usableFromInline
final class Runtime: @unchecked Sendable {
  // The fields that every change of the state touches come first, here and in what the lock guards, so that a commit to
  // one of a thousand bound stores fetches few cache lines.
  let isolation: (any Actor)?
  /// The thread that has the lock, to detect user code that calls the store from under it.
  @usableFromInline let lockingThread = Atomic<UInt>(0)
  /// The number of threads that wait for the lock, and the number of those that waited and have had it.
  private let waiters = Atomic<Int>(0)
  private let admissions = Atomic<UInt>(0)
  /// The memory of the state and the environment, and of what the lock guards.
  @usableFromInline let content: StoreContent
  /// The operations that need the store's types.
  let typed: any TypedOperations.Type
  let time: any TimeSource
  let executor: (any TaskExecutor)?
  /// The store's name and its instrument, if it has any of them.
  let instrumentation: Instrumentation?
  private let assignedNumber = Atomic<UInt64>(0)
  let mapError: (@Sendable (any Error) -> EffectProgram?)?
  /// True while effects that have waited for a turn on the store's actor commit; touched on that actor only.
  @exclusivity(unchecked) var isTakingTurns = false
  /// True if a turn came while an earlier one was being taken.
  @exclusivity(unchecked) var hasMissedTurn = false
  /// The object that a module on top associates with the store, and reads and changes under the lock.
  @exclusivity(unchecked) var associatedObject: AnyObject?

  @usableFromInline
  init<State: Sendable, Env: Sendable>(
    typed: AsyncStore<State, Env>.Type, state: State, env: Env, time: any TimeSource, isolation: (any Actor)?,
    executor: (any TaskExecutor)?, seed: UInt64, instrumentation: Instrumentation?,
    mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)?
  ) {
    let wantsStates = instrumentation?.interests.contains(.states) == true
    content = StoreContent(state, env)
    content.core.initialize(
      to: Mutex(
        Core(
          seed: seed, now: time.reading, mapsErrors: mapError != nil, traced: instrumentation?.events ?? [],
          hasActor: isolation != nil, foldsOperations: instrumentation?.seesOperations != true)))
    // Stored last, which moves them.
    self.typed = typed
    self.time = time
    self.isolation = isolation
    self.executor = executor
    self.instrumentation = instrumentation
    self.mapError = if let mapError { { mapError($0).program } } else { nil }
    if wantsStates { keepStates(from: state) }
  }

  deinit {
    typed.releaseEnv(of: content)
    content.deallocate()
  }

  /// The executor, if it is a simulation's.
  ///
  /// The alarm, time limits and saves prefer it, and else the global executor: operations may block all threads of the
  /// store's own.
  var simulatedExecutor: (any TaskExecutor)? { if let executor { executor as? any SimulatedExecutor } else { nil } }
  var isSimulationOver: Bool { (executor as? any SimulatedExecutor)?.hasEnded ?? false }

  /// A number that no other store of the process has; assigned when it is first asked for.
  var number: UInt64 {
    let known = assignedNumber.load(ordering: .relaxed)
    if known > 0 { return known }
    let new = Self.lastNumber.add(1, ordering: .relaxed).newValue
    let (isNew, other) = assignedNumber.compareExchange(expected: 0, desired: new, ordering: .relaxed)
    return isNew ? new : other
  }

  private static let lastNumber = Atomic<UInt64>(0)

  /// Releases the state.
  ///
  /// Called once, when nothing is left that could commit, observe or read. So no lock is held, and objects in the state
  /// may call the store when they are released. The environment stays, because an operation may be about to read it.
  func releaseState() {
    typed.releaseState(of: content)
    if instrumentation != nil { lock { $0.statePairs }?.releaseAll() }
    associatedObject = nil
  }

  // MARK: The lock

  /// Locks, and traps with a message if this thread already has the lock.
  ///
  /// The consequences of calls that `body` makes to other stores, for example by dropping one, follow once the thread
  /// has no store locked.
  func lock<Result>(_ body: (inout Core) -> Result) -> Result { lockInPlace(body) }

  /// Locks like ``lock(_:)``, for the most common events.
  ///
  /// Inlined, so that `body` becomes part of the caller.
  @inline(__always)
  func lockInPlace<Result>(_ body: (inout Core) -> Result) -> Result {
    let answer = lockOnly(body)
    DeferredWork.carryOutIfDue()
    return answer
  }

  /// Locks without carrying out the work that is put off meanwhile.
  ///
  /// The caller does that after its own barrier, for example by ``follow(_:driver:in:mayCommit:handover:_:)``: else
  /// that work could wait for the barrier.
  @inline(__always)
  func lockOnly<Result>(_ body: (inout Core) -> Result) -> Result {
    if let result = lockIfAvailable(body) { return result }
    return waitForLock(body)
  }

  /// Locks like ``lock(_:)``, unless this thread already has the lock.
  ///
  /// - Returns: `nil` if it has.
  @inline(__always)
  func lockUnlessLockedHere<Result>(_ body: (inout Core) -> Result) -> Result? {
    let answer = lockIfAvailable(body)
    guard answer != nil || !isLockedHere else { return nil }
    let result = if let answer { answer } else { waitForLock(body) }
    DeferredWork.carryOutIfDue()
    return result
  }

  /// Locks like ``lockOnly(_:)`` if no thread has the lock.
  ///
  /// - Returns: `nil` if one has it, maybe this one.
  @inline(__always)
  func lockIfAvailable<Result>(_ body: (inout Core) -> Result) -> Result? {
    guard isUnlocked else { return nil }
    return content.core.pointee.withLockIfAvailable { core in
      noteLocked()
      defer { noteUnlocked() }
      return body(&core)
    }
  }

  @inline(never)
  private func waitForLock<Result>(_ body: (inout Core) -> Result) -> Result {
    // Checked only if the lock can't be had at once.
    trap(
      unless: !isLockedHere,
      "A closure that runs under the store's lock called the store itself: a mutation, or a getter or `==` of one of its properties. Read from the state that the closure is given. For what has to follow, return an effect from `update`."
    )
    waiters.add(1, ordering: .relaxed)
    // Most changes are over sooner than a thread has been put to sleep and woken up: without this, two threads that
    // fulfil orders in one store lose a third of their time.
    for _ in 0..<Thread.spinLimit {
      Thread.pause()
      guard isUnlocked else { continue }
      let result = lockIfAvailable { core in
        noteAdmitted()
        return body(&core)
      }
      if let result { return result }
      // The kernel has handed it to a thread that sleeps, and that needs a processor to go on. Until then each attempt
      // would be in vain, so this thread stands in line, too.
      break
    }
    return content.core.pointee.withLock { core in
      noteAdmitted()
      noteLocked()
      defer { noteUnlocked() }
      return body(&core)
    }
  }

  private func noteAdmitted() {
    waiters.subtract(1, ordering: .relaxed)
    admissions.add(1, ordering: .relaxed)
  }

  /// Changes the state if nobody has to be told, and tries nothing else.
  ///
  /// Inlined into the client's code: a lock, two checks and the change, a third of what a call of a stored closure
  /// takes.
  ///
  /// - Returns: true if the state was changed.
  @inlinable
  @inline(__always)
  func changeIfUnobserved(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
    guard isUnlocked else { return false }
    let isDone = content.core.pointee.withLockIfAvailable { core in
      guard core.isUnobserved else { return false }
      noteLocked()
      body(content.state)
      noteUnlocked()
      return true
    }
    DeferredWork.carryOutIfDue()
    return isDone ?? false
  }

  /// Reads the state if the lock can be had at once; inlined into the client's code likewise.
  ///
  /// - Returns: true if the state was read.
  @inlinable
  @inline(__always)
  func readIfAvailable(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
    guard isUnlocked else { return false }
    let isDone: Void? = content.core.pointee.withLockIfAvailable { _ in
      noteLocked()
      body(content.state)
      noteUnlocked()
    }
    DeferredWork.carryOutIfDue()
    return isDone != nil
  }

  /// False while a thread has the lock.
  ///
  /// Checked before each attempt to have it: on Linux one that fails is a system call, and makes the unlocking one,
  /// too.
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
  /// Linux it hands the lock on to a thread that waits, so no test there misses this; on Apple's platforms it does not.
  func giveWay() {
    let admitted = admissions.load(ordering: .relaxed)
    while hasWaiters, admissions.load(ordering: .relaxed) == admitted { Thread.yield() }
  }

  /// True if another thread waits for the lock.
  var hasWaiters: Bool { waiterCount > 0 }

  /// The number of threads that wait for the lock.
  var waiterCount: Int { waiters.load(ordering: .relaxed) }

  /// True if this thread has the lock, so that user code is being called under it.
  var isLockedHere: Bool { lockingThread.load(ordering: .relaxed) == Thread.current }
}
