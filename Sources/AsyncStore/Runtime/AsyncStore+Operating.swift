/// The code that needs the store's types: it calls the closures of effects, and interprets what they return.
extension AsyncStore: TypedOperations {
  static func evaluate(
    _ node: EffectNode, on runtime: Runtime, _ core: inout Core
  ) -> (program: EffectProgram?, isCommit: Bool) {
    var (closure, wrapper) = (closure(of: node), nil as DeliveryWrapper?)
    while case .published(let outer, let inner) = closure { (closure, wrapper) = (inner, outer) }
    var effect = Effect.none
    var released = ReleasedValues()
    let change = runtime.change(&core, in: wrapper) { state in
      let state = state.assumingMemoryBound(to: State.self)
      switch closure {
      case .update(let body):
        effect = body(&state.pointee)
        return .commit()
      case .dispatch(_, let body):
        var ongoing = OngoingCommit(object: runtime.associatedObject)
        effect = body(&ongoing, &state.pointee)
        released = ongoing.released
        return ongoing.commitsNothing ? .none : .commit(because: ongoing.cause)
      case .silent(let body):
        body(&state.pointee)
        return .silent
      case .read(let body):
        effect = body(state.pointee)
        return .none
      default:
        preconditionFailure("\(node.summary) can't be evaluated")
      }
    }
    if !released.isEmpty { core.deliveries.append(.released(released)) }
    return (effect.program, change.isChange)
  }

  static func map(_ error: any Error, by node: EffectNode) -> EffectProgram? {
    guard case .recover(let handler) = closure(of: node) else {
      preconditionFailure("\(node.summary) has no error handler")
    }
    return handler(error).program
  }

  static func decide(_ error: any Error, by node: EffectNode) -> Bool {
    switch closure(of: node) {
    case .condition(let isRetried), .attempts(_, while: let isRetried?): return isRetried(error)
    default: preconditionFailure("\(node.summary) has no condition")
    }
  }

  static func releaseState(of content: StoreContent) {
    content.state.assumingMemoryBound(to: State.self).deinitialize(count: 1)
  }

  static func releaseEnv(of content: StoreContent) {
    // Usually there is nothing to release, but generic code needs 50 instructions to find that out.
    guard !_isPOD(Env.self) else { return }
    content.env.assumingMemoryBound(to: Env.self).deinitialize(count: 1)
  }

  static func env(of runtime: Runtime) -> Env { runtime.content.env.assumingMemoryBound(to: Env.self).pointee }

  /// Returns the closure of a node.
  ///
  /// Only this store's own effects reach it, and each node that it is called with is of this class.
  static func closure(of node: EffectNode) -> ClosureNode.Closure {
    unsafeDowncast(node, to: ClosureNode.self).closure
  }
}

extension AsyncStore {
  // MARK: Operations

  static func drive(_ run: Run) {
    // Two closure literals, because a closure that is passed on is wrapped, and each layer is a call of the task's.
    if let executor = run.runtime.executor {
      run.started(.task(Task(executorPreference: executor) { await operate(run) }))
    } else {
      run.started(.task(Task { await operate(run) }))
    }
  }

  // Inlined into the closures of the tasks, which otherwise would make an asynchronous call more, with a frame of its
  // own, and ask for their executor before and after it.
  @inline(__always)
  private static func operate(_ run: Run) async {
    if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
    if let instrumentation = run.runtime.instrumentation, instrumentation.interests.contains(.operations) {
      return await operate(run, in: instrumentation)
    }
    var (operation, turn) = (operation(of: run.takeFirst()), TurnCounter())
    while true {
      if turn.isOver() { await yieldTurn() }
      var (effect, failure) = (Effect.none, nil as (any Error)?)
      // An operation that is cancelled before its first instruction never runs.
      if !run.isCancelled {
        do { effect = try await call(operation, for: run) } catch { failure = error }
        if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      }
      guard let next = operationEnded(run, consume effect, failure) else { return }
      operation = next
    }
  }

  /// Counts the operations that a task runs in a row.
  private struct TurnCounter {
    private var count = 0

    /// Returns whether the task has to give others of its executor a turn, because a loop may never end.
    @inline(__always)
    mutating func isOver() -> Bool {
      count &+= 1
      return count & 63 == 0
    }
  }

  /// Gives others of the task's executor a turn.
  @inline(never)
  private static func yieldTurn() async {
    await Task.yield()
    if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
  }

  /// Returns what a task calls for this node.
  ///
  /// The task holds the closure and not the node, which it would have to count as well.
  @inline(__always)
  private static func operation(of node: EffectNode) -> Operation {
    if node.isOperation { return unsafeDowncast(node, to: OperationNode.self).operation }
    guard case .attempts(let operation, _) = closure(of: node) else {
      preconditionFailure("\(node.summary) is not an operation")
    }
    return .onAttempt(operation)
  }

  @inline(__always)
  private static func call(_ operation: Operation, for run: Run) async throws -> Effect {
    switch operation {
    case .plain(let operation): return try await operation()
    case .onEnvironment(let operation): return try await operation(env(of: run.runtime))
    case .onAttempt(let operation): return try await operation(env(of: run.runtime), attempt(of: run))
    case .released: preconditionFailure("an operation is called whose node was freed")
    }
  }

  /// Runs a fiber's operations, each inside of the store's instrument.
  ///
  /// A loop of its own, so that the frame of the usual one stays small.
  private static func operate(_ run: Run, in instrumentation: Instrumentation) async {
    var (operation, turn) = (operation(of: run.takeFirst()), TurnCounter())
    while true {
      if turn.isOver() { await yieldTurn() }
      var (effect, failure) = (Effect.none, nil as (any Error)?)
      if !run.isCancelled {
        (effect, failure) = await operate(run, operation, in: instrumentation)
        if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      }
      guard let next = operationEnded(run, effect, failure) else { return }
      operation = next
    }
  }

  /// Runs an operation inside of the store's instrument.
  private static func operate(
    _ run: Run, _ operation: Operation, in instrumentation: Instrumentation
  ) async -> (Effect, (any Error)?) {
    let runtime = run.runtime
    let record = runtime.lock { core in
      core.machine.isAlive(run.id) ? EffectRecord(core.machine.record(of: run.id.slot)) : nil
    }
    guard let record, let instrument = instrumentation.instrument else {
      preconditionFailure("an operation runs and is not in flight")
    }
    var (effect, failure): (Effect, (any Error)?) = (.none, nil)
    var callCount = 0
    await instrument.wrapOperation(record, of: runtime.identity) {
      callCount += 1
      trap(unless: callCount == 1, "An instrument has called the body of `wrapOperation` more than once.")
      if Thread.hasLockedStore { await DeferredWork.leaveMutations() }
      // The instrument may have waited, and the cancel have come meanwhile.
      guard !run.isCancelled else { return .cancelled }
      do {
        effect = try await call(operation, for: run)
        return run.isCancelled ? .cancelled : .finished
      } catch {
        failure = error
        return .failed(error)
      }
    }
    trap(unless: callCount == 1, "An instrument has not called the body of `wrapOperation`.")
    return (effect, failure)
  }

  /// Returns the run's attempt, which does not change before the operation has returned.
  private static func attempt(of run: Run) -> EffectAttempt {
    guard let attempt = run.runtime.lock({ $0.machine.attempt(of: run.id) }) else {
      preconditionFailure("an operation that is retried has no attempt")
    }
    return EffectAttempt(attempt)
  }

  /// Handles the end of an operation, which has returned an effect or thrown.
  ///
  /// - Returns: the operation that the same task goes on with.
  @inline(__always)
  private static func operationEnded(
    _ run: Run, _ effect: consuming Effect, _ failure: (any Error)?
  ) -> Operation? {
    // The short way for an operation that returns another one, which a recursion takes millions of times: the fiber
    // only moves on to that one. The effect that it stood at is released after the lock. The node is moved all the way
    // into the fiber: with references counted on the way, a level took 100 instructions more. It takes 1,550, and by
    // the long way 3,600 (`Tests/Benchmarks/instructions P12b`).
    let node: EffectNode
    switch consume effect {
    case .node(let returned): node = returned
    case let other: return reportEnd(of: run, with: other, failure)
    }
    guard node.isOperation else { return reportEnd(of: run, with: .node(node), failure) }
    let (id, operation) = (run.id, operation(of: node))
    var program: EffectProgram? = EffectProgram(node: consume node)
    let isFollowed = run.runtime.lockInPlace { $0.machine.operationFollowed(id, with: &program) != nil }
    if isFollowed { return operation }
    guard let program else { preconditionFailure("an operation that does not follow is gone") }
    return reportEnd(of: run, with: .node(program.node), failure)
  }

  /// Reports the end of an operation to the machine.
  private static func reportEnd(of run: Run, with effect: Effect, _ failure: (any Error)?) -> Operation? {
    let (runtime, id) = (run.runtime, run.id)
    let mayCommit = runtime.comesToCommit()
    // Made for the long way alone, because to release it empty takes a hundred instructions.
    var chores: Chores?
    // Often the next operation of a list follows, after a change of the state or nothing: then the fiber only moves on.
    // And often it was the tree's last, which is over then.
    var (done, next, over): (EffectProgram?, EffectProgram?, TreeContext?)
    var hasDeliveries = false
    runtime.lockOnly { core in
      let isInPlace = failure == nil && commitFollowUp(effect, mayCommit: mayCommit, of: id, on: runtime, &core)
      if isInPlace {
        next = core.machine.operationFollowed(id, with: &done)
        if next == nil { over = core.endTree(of: run, releasing: &done) }
        hasDeliveries = !core.deliveries.isEmpty
        if next != nil || over != nil { return }
      }
      chores = Chores()
      runtime.step(&core, driver: run, in: { run.tree }, mayCommit: mayCommit, into: &chores!) { core in
        if let failure {
          core.machine.operationFailed(id, failure, &core.pass)
        } else {
          core.machine.operationFinished(id, isInPlace ? nil : effect.program, &core.pass)
        }
      }
    }
    if chores != nil {
      let next = runtime.follow(&chores!, driver: run, in: run.tree, mayCommit: mayCommit, nil)
      return if let next { operation(of: next) } else { nil }
    }
    DeferredWork.carryOutIfDue()
    if hasDeliveries { DeliveryLoop.deliver(from: runtime) }
    over?.settle(.finished)
    return if let next { operation(of: next.node) } else { nil }
  }

  /// Applies the follow-up that nearly every operation has, which needs no program of its own.
  ///
  /// Without it a task takes 10,800 instructions and not 8,000, one of a list 5,000 and not 2,000, as
  /// `Tests/Benchmarks/instructions P2 P5c` counts them.
  ///
  /// - Returns: true if that interprets the effect.
  private static func commitFollowUp(
    _ effect: Effect, mayCommit: Bool, of id: FiberID, on runtime: Runtime, _ core: inout Core
  ) -> Bool {
    guard core.machine.traced.isDisjoint(with: [.committed, .settled]), !core.machine.isCancelled(id) else {
      return false
    }
    switch effect {
    case .none: return true
    case .set(let mutation):
      if mayCommit { runtime.apply(mutation, &core) }
      return mayCommit
    case .node: return false
    }
  }
}
