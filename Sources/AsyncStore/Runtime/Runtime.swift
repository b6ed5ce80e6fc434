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
/// `init`, read by any thread, and released by `deinit`. Everything else that changes is in `core`, a mutex, or atomic.
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
  /// The memory of the state and the environment.
  @usableFromInline let content: StoreContent
  @usableFromInline let core: Mutex<Core>
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
    self.typed = typed
    content = StoreContent(state, env)
    self.time = time
    self.isolation = isolation
    self.executor = executor
    self.instrumentation = instrumentation
    self.mapError = if let mapError { { mapError($0).program } } else { nil }
    core = Mutex(
      Core(
        seed: seed, now: time.reading, mapsErrors: mapError != nil, traced: instrumentation?.events ?? [],
        hasActor: isolation != nil))
    if let instrumentation, instrumentation.interests.contains(.states) { keepStates(from: state) }
  }

  deinit {
    typed.releaseEnv(of: content)
    content.deallocate()
  }

  private func keepStates<State: Sendable>(from state: State) {
    let pairs = TypedStatePairs(state)
    lock { core in
      core.statePairs = pairs
      core.append(pairs)
    }
  }

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
  /// Called once, when nothing is left that could commit, observe or read. So it needs no lock, and objects in the state
  /// may call the store when they are released. The environment stays, because an operation may be about to read it.
  func releaseState() {
    typed.releaseState(of: content)
    if instrumentation != nil { lock { $0.statePairs }?.releaseAll() }
    associatedObject = nil
  }

  // MARK: The lock

  /// Carries out one event: under the lock it steps the machine and applies its commits; after it, tasks are started
  /// and cancelled, waiters resumed, handlers called, observers told.
  ///
  /// Short ways that don't need all of this lock and step by themselves.
  ///
  /// - Parameters:
  ///   - driver: the run that reports the end of a fiber's operation. If the fiber goes on with another one of the same
  ///     kind, that one is returned and not started.
  ///   - context: the tree whose task-local values and priority hold on this thread.
  ///   - round: the round of lifts that the event is part of; a call from outside has its own.
  ///   - handsOver: true if a very long pass may go on in a task, because nobody waits for it, and the thread has other
  ///     work.
  @discardableResult
  func perform(
    driver: Run? = nil, in context: @autoclosure () -> TreeContext? = nil, mayCommit: Bool? = nil,
    round: LiftRound? = nil, handsOver: Bool = false, _ event: (inout Core) -> Void
  ) -> EffectNode? {
    var chores = Chores()
    let mayCommit = mayCommit ?? isOnIsolation()
    lockThenFollow { core in
      step(&core, driver: driver, in: context, mayCommit: mayCommit, into: &chores, event)
    }
    return follow(&chores, driver: driver, in: context(), mayCommit: mayCommit, handsOver: handsOver, round)
  }

  /// Steps the machine under the lock, and applies its commits.
  func step(
    _ core: inout Core, driver: Run? = nil, in context: () -> TreeContext?, mayCommit: Bool,
    into chores: inout Chores, _ event: (inout Core) -> Void
  ) {
    core.machine.mayCommit = mayCommit
    core.pass.start()
    core.pass.passesBarriers = DeferredWork.isNested
    event(&core)
    conclude(&core, driver: driver, in: context, into: &chores)
  }

  /// Turns a step's directives into commits and chores, and notes whether the pass has to go on under another lock.
  func conclude(
    _ core: inout Core, driver: Run?, in context: () -> TreeContext?, into chores: inout Chores
  ) {
    apply(&core, driver: driver, into: &chores)
    if core.pass.hasCancelled || core.machine.isSpreadingBarrier { core.noteWaves(&chores) }
    if !core.machine.ready.isEmpty { chores.suspension = core.machine.suspend(core.pass) }
    if let driver, chores.continuation == nil, chores.suspension == nil { core.end(driver) }
    // Before another thread can end the wait, or cancel what is suspended.
    if core.pass.hasWaits || chores.suspension != nil { context()?.keepInheritance() }
  }

  /// Carries out the consequences of the event after the lock, and steps on until its pass is complete.
  ///
  /// While the thread has another store locked, all of it is put off.
  ///
  /// - Returns: the operation that the driver goes on with. Inside another round it may come later, as part of that
  ///   round.
  @inline(__always)
  @discardableResult
  func follow(
    _ chores: inout Chores, driver: Run? = nil, in context: TreeContext?, mayCommit: Bool, handsOver: Bool = false,
    _ outer: LiftRound?
  ) -> EffectNode? {
    if DeferredWork.isNeeded {
      precondition(driver == nil && outer == nil, "an operation or a round goes on while its thread has a store locked")
      putOff(chores, in: context, mayCommit: mayCommit, handsOver: handsOver)
      return nil
    }
    var round = outer
    carryOut(&chores, in: context, &round)
    guard round != nil || chores.suspension != nil else { return chores.continuation }
    return goOn(&chores, driver, context, mayCommit, handsOver, outer, round)
  }

  /// Puts the consequences off, and steps on until the pass is complete or has to wait for another store.
  @inline(never)
  private func putOff(_ chores: consuming Chores, in context: TreeContext?, mayCommit: Bool, handsOver: Bool) {
    while let suspension = chores.suspension, !suspension.resumption.awaitsOthers {
      chores.suspension = nil
      DeferredWork.append(FollowUp(self, chores, in: context, mayCommit: mayCommit, handsOver: handsOver))
      chores = Chores()
      giveWay()
      lockThenFollow { core in
        core.machine.mayCommit = mayCommit
        core.machine.resume(suspension, passingBarriers: true, &core.pass)
        conclude(&core, driver: nil, in: { context }, into: &chores)
      }
    }
    DeferredWork.append(FollowUp(self, chores, in: context, mayCommit: mayCommit, handsOver: handsOver))
  }

  @inline(never)
  private func goOn(
    _ chores: inout Chores, _ driver: Run?, _ context: TreeContext?, _ mayCommit: Bool, _ handsOver: Bool,
    _ outer: LiftRound?, _ made: LiftRound?
  ) -> EffectNode? {
    let round = made ?? LiftRound()
    var driver = driver
    if let known = driver, let next = chores.continuation {
      // It has no part in the rest of the pass. That can take for ever, so that a task doesn't wait for it.
      driver = nil
      if !known.isLift {
        chores.continuation = nil
        goOn(from: known, with: next)
      }
    }
    if let suspension = chores.suspension {
      round.goOn(
        SuspendedPass(
          self, suspension, driver: driver, context: context, mayCommit: mayCommit, handsOver: handsOver))
    }
    if outer == nil { round.run() }
    return chores.continuation
  }

  /// Starts the next operation of a driver in a task of its own, because the driver's has more to do, or is cancelled.
  func goOn(from driver: Run, with next: EffectNode) {
    typed.drive(lock { $0.renew(driver, with: next) })
  }

  /// Locks, after a check that this thread does not have the lock already.
  ///
  /// The consequences of calls that `body` makes to other stores, for example by dropping one, follow before this returns.
  func lock<Result>(_ body: (inout Core) -> Result) -> Result { lockInPlace(body) }

  /// Locks likewise, for the commonest events: what happens under the lock is part of the caller, and no closure.
  @inline(__always)
  func lockInPlace<Result>(_ body: (inout Core) -> Result) -> Result {
    let answer = lockThenFollow(body)
    DeferredWork.carryOutIfDue()
    return answer
  }

  /// Locks, for a caller that then carries out the consequences, by ``follow(_:driver:in:mayCommit:handsOver:_:)``.
  ///
  /// These include what was put off meanwhile. It must not come before the barrier of this pass, which could wait for
  /// itself then.
  @inline(__always)
  func lockThenFollow<Result>(_ body: (inout Core) -> Result) -> Result {
    let result = core.withLockIfAvailable { core in
      noteLocked()
      defer { noteUnlocked() }
      return body(&core)
    }
    return if let result { result } else { waitForLock(body) }
  }

  @inline(never)
  private func waitForLock<Result>(_ body: (inout Core) -> Result) -> Result {
    // Checked only if the lock can't be had at once.
    trap(
      unless: !isLockedHere,
      "A mutation of this store's state, or a getter or a comparison of a property of it, called the store itself. Read from the state that the closure is given, and return an effect, with `update`, for what has to follow."
    )
    waiters.add(1, ordering: .relaxed)
    return core.withLock { core in
      waiters.subtract(1, ordering: .relaxed)
      admissions.add(1, ordering: .relaxed)
      noteLocked()
      defer { noteUnlocked() }
      return body(&core)
    }
  }

  /// Changes the state if nobody has to be told, and tries nothing else.
  ///
  /// Inlined into the client's code, in which it is a lock, two conditions and the change itself: a third of what the
  /// call of a closure that is kept in an effect takes.
  ///
  /// - Returns: true if the state was changed.
  @inlinable
  @inline(__always)
  func changeQuietly(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
    let isDone = core.withLockIfAvailable { core in
      guard core.isQuiet else { return false }
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
  func readQuietly(_ body: (UnsafeMutableRawPointer) -> Void) -> Bool {
    let isDone: Void? = core.withLockIfAvailable { _ in
      noteLocked()
      body(content.state)
      noteUnlocked()
    }
    DeferredWork.carryOutIfDue()
    return isDone != nil
  }

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
  /// A mutex is not fair: a thread that takes it again at once usually gets it, and the others could wait for ever.
  func giveWay() {
    let admitted = admissions.load(ordering: .relaxed)
    while waiters.load(ordering: .relaxed) > 0, admissions.load(ordering: .relaxed) == admitted { Thread.yield() }
  }

  /// True if this thread has the lock, so that user code is being called under it.
  var isLockedHere: Bool { lockingThread.load(ordering: .relaxed) == Thread.current }
}

extension Runtime {
  // MARK: Received effects

  /// Interprets an effect as this tree.
  ///
  /// - Parameter isLifted: true if others know the tree already and may have cancelled it.
  /// - Returns: true if the store takes the effect.
  @discardableResult
  func begin(
    _ program: EffectProgram, in tree: TreeContext, isLifted: Bool, mayCommit: Bool, round: LiftRound? = nil
  ) -> Bool {
    var (isTaken, isBegun) = (true, false)
    perform(in: tree, mayCommit: mayCommit, round: round) { core in
      isTaken = takes(program, &core)
      if isTaken, !isLifted || !tree.isCancelled {
        isBegun = true
        tree.began(at: core.machine.received(program, context: tree, &core.pass))
      }
    }
    if !isBegun {
      var round = round
      tree.settle(isTaken ? .cancelled : .inactive, isOver: true, &round)
    }
    return isTaken
  }

  /// Interprets a single operation as this tree, the short way: nothing of the step follows but the start of its task.
  ///
  /// - Returns: true if it has begun; else ``begin(_:in:isLifted:mayCommit:round:)`` has to be called.
  func begin(operation program: EffectProgram, in tree: TreeContext) -> Bool {
    // While another store is locked here, nothing starts.
    guard program.isOperation, !DeferredWork.isNeeded else { return false }
    let run = lock { core -> Run? in
      guard core.isActive else { return nil }
      core.pass.start()
      guard let id = core.machine.operationReceived(program, context: tree, &core.pass) else { return nil }
      tree.began(at: id)
      return core.begin(Run(self, id, program.node, tree: tree))
    }
    guard let run else { return false }
    typed.drive(run)
    return true
  }

  /// Cancels what an effect names that does nothing else, and so needs no tree.
  ///
  /// - Returns: true if the store takes the effect.
  func cancel(_ scopes: Selection<EffectID>, for program: EffectProgram, mayCommit: Bool) -> Bool {
    var isTaken = true
    perform(mayCommit: mayCommit) { core in
      isTaken = takes(program, &core)
      if isTaken { core.machine.cancelled(scopes, &core.pass) }
    }
    return isTaken
  }

  /// Returns whether an effect is interpreted now, and tells the instrument of one that is not.
  @inline(__always)
  private func takes(_ program: EffectProgram, _ core: inout Core) -> Bool {
    let node = program.node
    switch core.phase {
    case .active: return true
    case .draining where node.cancelledScopes != nil: return true
    case .draining, .cleaningUp, .inactive: break
    }
    if core.machine.isTraced {
      record(.ignored, node.count == 1 ? node.describe(at: 0) : node.summary, &core)
    }
    // It may be a cancel of something that a deactivation has cancelled, with a barrier still on its way into other
    // stores.
    core.machine.standStillForBarrier(&core.pass)
    return false
  }
}
