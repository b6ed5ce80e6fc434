import CAsyncStore

extension AsyncStore {
  // MARK: Operations

  static func drive(_ run: Run) {
    // Two closure literals, because passing one closure on would wrap it, and every task pays for each wrapper.
    if let executor = run.runtime.executor {
      run.started(.task(Task(executorPreference: executor) { await runOperations(of: run) }))
    } else {
      run.started(.task(Task { await runOperations(of: run) }))
    }
  }

  /// Returns whether a waiting caller may start an operation itself with ``driveHere(_:)``.
  ///
  /// A caller on an actor may not, nor one whose task prefers an executor: the operation would occupy it, and may wait
  /// for another of its jobs. Nor may a caller inside another such operation, since a recursion would use up the stack.
  static func mayStartHere(on isolation: (any Actor)?, for runtime: Runtime) -> Bool {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return false }
    let thread = Thread.record
    return isolation == nil && runtime.executor == nil && thread.pointee.lockCount == 0
      && !thread.pointee.startsNoOperation && withUnsafeCurrentTask { $0?.unownedTaskExecutor == nil }
  }

  /// Runs a fiber's operations in a task that begins inside this call, on its thread, and continues elsewhere once an
  /// operation has waited for something.
  ///
  /// For a caller that waits for the operation anyway. Otherwise another thread would have to be woken for the task,
  /// and this one for its end: an awaited order of three operations, each with a retry, a time limit and an undo, took
  /// 33 µs that way, and takes about 21 this way (`OrdersBenchmark fulfil --at-once 1`).
  static func driveHere(_ run: Run) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return drive(run) }
    let thread = Thread.record
    let startsNoOperation = thread.pointee.startsNoOperation
    thread.pointee.startsNoOperation = true
    Task.immediate {
      // Recorded here, because the operation may be cancelled before this call returns.
      if let task = Thread.runningTask { run.started(.task(task)) }
      await runOperations(of: run)
    }
    thread.pointee.startsNoOperation = startsNoOperation
  }

  // Inlined into the tasks' closures, which would otherwise make one more asynchronous call with its own frame and
  // executor checks.
  @inline(__always)
  private static func runOperations(of run: Run) async {
    guard run.taskStarted() else { return }
    if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
    if let instrumentation = run.runtime.instrumentation, instrumentation.interests.contains(.operations) {
      return await runOperations(of: run, in: instrumentation)
    }
    var (operation, yields) = (operation(of: run.takeFirst()), YieldCounter())
    while true {
      if yields.isDue() { await yieldToExecutor() }
      var (effect, failure) = (Effect.none, nil as (any Error)?)
      // An operation that is cancelled before its first instruction never runs.
      if !run.isCancelled {
        do { effect = try await call(consume operation, for: run) } catch { failure = error }
        if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      }
      operation = operationEnded(run, effect, failure)
      if case .none = operation { return }
    }
  }

  /// Counts the operations that a task runs in a row.
  private struct YieldCounter {
    private var count = 0

    /// Returns whether the task has to give other tasks of its executor a turn, because a loop may never end.
    @inline(__always)
    mutating func isDue() -> Bool {
      count &+= 1
      return count & 63 == 0
    }
  }

  /// Gives other tasks of the executor a turn.
  @inline(never)
  private static func yieldToExecutor() async {
    await Task.yield()
    if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
  }

  /// Returns the closure that a task calls for this node.
  ///
  /// The task holds only the closure: holding the node too would cost another reference count.
  @inline(__always)
  private static func operation(of node: EffectNode) -> Operation {
    if node.isOperation { return unsafeDowncast(node, to: OperationNode.self).operation }
    guard case .attempts(let operation, _) = closure(of: node) else {
      preconditionFailure("\(node.summary) is not an operation")
    }
    return .onAttempt(operation)
  }

  @inline(__always)
  nonisolated(nonsending) static func call(_ operation: consuming Operation, for run: Run) async throws -> Effect {
    switch consume operation {
    case .plain(let body): return try await body()
    case .onEnvironment(let body): return try await call(body, for: run)
    case .onAttempt(let body): return try await call(body, for: run)
    case .none: preconditionFailure("an operation is called whose node was freed")
    }
  }

  // Not inlined: a copy of the environment needs memory of a size known only at run time. Inlined, every operation
  // would allocate that memory. The function stays on the caller's executor, so that the task does not look for it.
  @inline(never)
  private nonisolated(nonsending) static func call(
    _ body: @Sendable (Env) async throws -> Effect, for run: Run
  ) async throws -> Effect {
    try await body(env(of: run.runtime))
  }

  @inline(never)
  private nonisolated(nonsending) static func call(
    _ body: @Sendable (Env, EffectAttempt) async throws -> Effect, for run: Run
  ) async throws -> Effect {
    try await body(env(of: run.runtime), attempt(of: run))
  }

  /// Runs a fiber's operations, each inside the store's instrument.
  ///
  /// A loop of its own, so that the frame of the usual loop stays small.
  private nonisolated(nonsending) static func runOperations(of run: Run, in instrumentation: Instrumentation) async {
    var (operation, yields) = (operation(of: run.takeFirst()), YieldCounter())
    while true {
      if yields.isDue() { await yieldToExecutor() }
      var (effect, failure) = (Effect.none, nil as (any Error)?)
      // Taken even if the operation does not begin, so that the run keeps nothing of it.
      let record = run.takeRecord()
      if !run.isCancelled {
        let record = record ?? run.runtime.record(of: run)
        (effect, failure) = await runOperation(of: run, operation, record, in: instrumentation)
        if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      }
      operation = operationEnded(run, effect, failure)
      if case .none = operation { return }
    }
  }

  /// Runs an operation inside the store's instrument.
  private nonisolated(nonsending) static func runOperation(
    of run: Run, _ operation: Operation, _ record: EffectRecord, in instrumentation: Instrumentation
  ) async -> (Effect, (any Error)?) {
    let call = InstrumentedCall(of: operation, for: run)
    await instrumentation.instrument.wrapOperation(record, of: run.runtime.identity, OperationBody(call))
    return call.end()
  }

  /// Returns the run's attempt, which does not change until the operation has returned.
  private static func attempt(of run: Run) -> EffectAttempt {
    guard let attempt = run.runtime.lock({ $0.machine.attempt(of: run.id) }) else {
      preconditionFailure("an operation that is retried has no attempt")
    }
    return EffectAttempt(attempt)
  }

  /// Handles the end of an operation, which has returned an effect or thrown.
  ///
  /// Not inlined into the task's code, where each of its awaits would get a copy.
  ///
  /// - Returns: the operation that the same task continues with, or `none`.
  @inline(never)
  private static func operationEnded(_ run: Run, _ effect: consuming Effect, _ failure: (any Error)?) -> Operation {
    // The fast path for an operation that returns another one, which a recursion takes millions of times: the fiber
    // only moves on to the new operation. The effect that the fiber was at is released after the lock. The node is
    // moved all the way into the fiber: counting references on the way took 100 instructions more per level. A level
    // takes 1,550, and by the slow path 3,600 (`Tests/Benchmarks/instructions P12b`).
    let node: EffectNode
    switch consume effect {
    case .node(let returned): node = returned
    case let other: return reportEnd(of: run, with: other, failure)
    }
    guard node.isOperation, run.fastPaths != .none else { return reportEnd(of: run, with: .node(node), failure) }
    let (id, operation) = (run.id, operation(of: node))
    var program: EffectProgram? = EffectProgram(node: consume node)
    let isFollowed = run.runtime.lockInlined { $0.machine.operationFollowed(id, with: &program) != nil }
    if isFollowed { return operation }
    guard let program else { preconditionFailure("an operation that does not follow is gone") }
    return reportEnd(of: run, with: .node(program.node), failure)
  }

  /// Reports the end of an operation to the machine.
  private static func reportEnd(of run: Run, with effect: Effect, _ failure: (any Error)?) -> Operation {
    let (runtime, id) = (run.runtime, run.id)
    let mayCommit = runtime.takeTurnsIfHere()
    guard run.fastPaths == .all else { return reportEndInFull(of: run, with: effect, failure, mayCommit) }
    // Two fast paths. If the list's next operation follows, after a `set` or nothing, the fiber only moves on. If this
    // was the tree's last operation, the tree is over.
    var (done, next, over): (EffectProgram?, EffectProgram?, TreeContext?)
    var hasDeliveries = false
    runtime.lockOnly { core in
      guard failure == nil, needsNoProgram(effect, mayCommit: mayCommit, of: id, core) else { return }
      next = core.machine.operationFollowed(id, with: &done)
      if next == nil { over = core.endTree(of: run, releasing: &done) }
      guard next != nil || over != nil else { return }
      if case .set(let mutation) = effect { runtime.apply(mutation, &core) }
      hasDeliveries = runtime.mustDeliver(&core)
    }
    guard next != nil || over != nil else { return reportEndInFull(of: run, with: effect, failure, mayCommit) }
    DeferredWork.carryOutIfDue()
    if hasDeliveries { DeliveryLoop.deliver(from: runtime) }
    over?.settle(.finished)
    return if let next { operation(of: next.node) } else { .none }
  }

  @inline(never)
  private static func reportEndInFull(
    of run: Run, with effect: Effect, _ failure: (any Error)?, _ mayCommit: Bool
  ) -> Operation {
    let runtime = run.runtime
    let next = runtime.perform(driver: run, in: run.tree, mayCommit: mayCommit) { core in
      let id = run.id
      if let failure { return core.machine.operationFailed(id, failure, &core.pass) }
      let needsNoProgram = needsNoProgram(effect, mayCommit: mayCommit, of: id, core)
      if needsNoProgram, case .set(let mutation) = effect { runtime.apply(mutation, &core) }
      core.machine.operationFinished(id, needsNoProgram ? nil : effect.program, &core.pass)
    }
    return if let next { operation(of: next) } else { .none }
  }

  /// Returns whether the effect that an operation returned needs no program, because it is a change of the state or
  /// nothing.
  ///
  /// A change is not applied here if the operation was cancelled: the machine drops its result.
  ///
  /// Nearly every operation returns such an effect. Without this fast path a task takes 2,800 instructions more, and a
  /// task of a list 3,000 more, as counted by `Tests/Benchmarks/instructions P2 P5c`.
  @inline(__always)
  private static func needsNoProgram(
    _ effect: borrowing Effect, mayCommit: Bool, of id: FiberID, _ core: borrowing Core
  ) -> Bool {
    guard core.machine.options.traced.isDisjoint(with: [.committed, .settled]), !core.machine.isCancelled(id) else {
      return false
    }
    switch effect {
    case .none: return true
    case .set: return mayCommit
    case .node: return false
    }
  }
}
