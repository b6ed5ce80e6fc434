import Synchronization

/// The shell with the store's types: the state, the environment, and the closures of effects.
///
/// `@unchecked` because its superclass is. Its own part is constants, and the state behind `storage`, which is touched
/// only while `core` is locked; save for ``discardState()``, once, when nobody else has a way to the state, and
/// `deinit` after it.
@usableFromInline
final class StateRuntime<State: Sendable, Env: Sendable>: Runtime, @unchecked Sendable {
  @usableFromInline typealias Effect = AsyncStore<State, Env>.Effect
  typealias ClosureNode = AsyncStore<State, Env>.ClosureNode

  // Separate memory and not a property, so that no access to it is tracked at run time, and so that observers see the
  // state in place and not a copy of it.
  var storage: UnsafeMutablePointer<State> { rawState.assumingMemoryBound(to: State.self) }
  private var hasState = true
  let env: Env
  private let mapError: (@Sendable (any Error) -> Effect)?

  @usableFromInline
  init(
    state: State, env: Env, time: any TimeSource, isolation: (any Actor)?, executor: (any TaskExecutor)?, seed: UInt64,
    instrument: (@Sendable (InstrumentEvent) -> Void)?, mapError: (@Sendable (any Error) -> Effect)?
  ) {
    let storage = Memory.allocate(for: State.self)
    storage.initialize(to: state)
    self.env = env
    self.mapError = mapError
    super.init(
      rawState: storage, time: time, isolation: isolation, executor: executor, seed: seed, mapsErrors: mapError != nil,
      instrument: instrument)
  }

  deinit {
    // Nobody else has a reference any more.
    if hasState { storage.deinitialize(count: 1) }
    Memory.release(storage)
  }

  override func willEnd(_ observers: [CommitObserver], endsActivity: Bool) {
    for observer in observers { observer.willEnd(storage, endsActivity: endsActivity) }
  }

  /// Releases the state after the end, when nothing is alive that could commit, nothing attaches, and no reader has a
  /// store.
  ///
  /// So no lock is needed, and objects in the state may call the store when they are released.
  override func discardState() {
    hasState = false
    storage.deinitialize(count: 1)
    attachment = nil
  }

  // MARK: Receiving

  @inline(__always)
  func receive(_ effect: Effect, mayCommit: Bool) -> EffectHandle {
    switch effect {
    case .none: isActive ? .finished : .inactive
    case .set(let mutation) where mayCommit: commit(mutation)
    default: begin(effect, mayCommit: mayCommit)
    }
  }

  /// Commits a mutation by the shortest way for the commonest effect: only the lock and the change, if nobody has to be
  /// told.
  ///
  /// A closure between the lock and the change would cost a third more.
  @inline(__always)
  private func commit(_ mutation: AsyncStore<State, Env>.Mutation) -> EffectHandle {
    let isCommitted = core.withLockIfAvailable { core in
      guard core.tellsNobody else { return false }
      noteLocked()
      mutation.apply(to: storage)
      noteUnlocked()
      return true
    }
    return isCommitted == true ? .finished : commitAndTell(mutation)
  }

  @inline(never)
  private func commitAndTell(_ mutation: AsyncStore<State, Env>.Mutation) -> EffectHandle {
    var hasDeliveries = false
    let isActive = lock { core in
      if core.isActive { apply(mutation, &core) }
      if core.machine.isTraced { trace(mutation, &core) }
      hasDeliveries = !core.deliveries.isEmpty
      return core.isActive
    }
    if hasDeliveries { DeliveryLoop.deliver(from: self) }
    return isActive ? .finished : .inactive
  }

  private func trace(_ mutation: AsyncStore<State, Env>.Mutation, _ core: inout Core) {
    let effect = Effect.set(mutation).summary
    core.deliveries.append(
      .event(core.isActive ? .committed(EffectRecord(id: nil, label: nil, effect: effect)) : .ignored(effect)))
  }

  @inline(never)
  private func begin(_ effect: Effect, mayCommit: Bool) -> EffectHandle {
    guard let program = effect.program else { return .finished }
    let tree = TreeContext(self, mayOperate: program.node.mayOperate)
    let isActive = begin(program, in: tree, isLifted: false, mayCommit: mayCommit)
    return isActive ? EffectHandle(storage: .tree(tree)) : .inactive
  }

  // MARK: The state

  /// Changes the state, under the lock, and notes the observers to tell.
  @inline(__always)
  private func change(_ core: inout Core, in wrapper: DeliveryWrapper?, _ body: (UnsafeMutablePointer<State>) -> Void) {
    body(storage)
    if !core.observers.isEmpty { core.observers.note(storage, &core.deliveries, in: wrapper) }
  }

  @inline(__always)
  func apply(_ mutation: AsyncStore<State, Env>.Mutation, _ core: inout Core) {
    change(&core, in: nil) { mutation.apply(to: $0) }
  }

  /// Reads the state under the lock; `body` must not call the store.
  func readState(_ body: (borrowing State) -> Void) {
    lock { _ in
      body(storage.pointee)
    }
  }

  // MARK: The requests of the shell

  override func commit(_ site: Site<EffectProgram>, count: Int, _ core: inout Core) {
    let range = site.index..<(site.index + count)
    if core.observers.isEmpty {
      site.program.node.apply(range, to: storage)
    } else {
      for index in range {
        site.program.node.apply(index..<(index + 1), to: storage)
        core.observers.note(storage, &core.deliveries)
      }
    }
  }

  override func evaluate(_ node: EffectNode, _ core: inout Core) -> (program: EffectProgram?, isCommit: Bool) {
    let (effect, isCommit) = evaluate(closure(of: node), of: node, in: nil, &core)
    return (effect.program, isCommit)
  }

  private func evaluate(
    _ closure: ClosureNode.Closure, of node: EffectNode, in wrapper: DeliveryWrapper?, _ core: inout Core
  ) -> (effect: Effect, isCommit: Bool) {
    var effect = Effect.none
    switch closure {
    case .update(let body):
      change(&core, in: wrapper) { effect = body(&$0.pointee) }
    case .dispatch(_, let body):
      var attachment = AsyncStore<State, Env>.Attachment(object: attachment)
      effect = body(&attachment, &storage.pointee)
      if !attachment.released.isEmpty { core.deliveries.append(.released(attachment.released)) }
      if attachment.commitsNothing { return (effect, false) }
      if !core.observers.isEmpty {
        CommitCause.with(attachment.cause) { core.observers.note(storage, &core.deliveries, in: wrapper) }
      }
    case .published(let wrapper, let inner):
      return evaluate(inner, of: node, in: wrapper, &core)
    case .silent(let body):
      body(&storage.pointee)
      core.observers.noteSilently(storage, &core.deliveries)
    case .read(let body):
      return (body(storage.pointee), false)
    default:
      preconditionFailure("\(node.summary) is not evaluated")
    }
    return (effect, true)
  }

  override func interpret(_ tick: Tick, of id: FiberID, _ node: EffectNode) {
    guard case .timer(let mapEffect) = closure(of: node) else { preconditionFailure("\(node.summary) is no timer") }
    guard let program = commitInPlace(mapEffect(TimerTick(tick)), of: id)?.program else { return }
    perform(handsOver: true) { $0.machine.ticked(id, program, due: tick.due, &$0.pass) }
  }

  override func map(_ error: any Error, by node: EffectNode?) -> EffectProgram? {
    guard let node else { return mapError?(error).program }
    guard case .recover(let handler) = closure(of: node) else {
      preconditionFailure("\(node.summary) handles no error")
    }
    return handler(error).program
  }

  override func decide(_ error: any Error, by node: EffectNode) -> Bool {
    switch closure(of: node) {
    case .condition(let isRetried), .attempts(_, while: let isRetried?): return isRetried(error)
    default: preconditionFailure("\(node.summary) retries whatever the error")
    }
  }

  override func operate(_ run: Run) async {
    var node: EffectNode? = run.takeFirst()
    while let current = node.take() {
      // An operation that is cancelled before its first instruction never runs.
      guard !run.isCancelled else {
        node = operationEnded(run, .none)
        continue
      }
      var effect = Effect.none
      var failure: (any Error)?
      do {
        switch closure(of: current) {
        case .operation(let operation): effect = try await operation()
        case .environmentOperation(let operation): effect = try await operation(env)
        case .attempts(let operation, _): effect = try await operation(env, attempt(of: run))
        default: preconditionFailure("\(current.summary) is no operation")
        }
      } catch {
        failure = error
      }
      node = operationEnded(run, effect, failure)
    }
  }

  /// Returns the run's attempt, which does not change before the operation has returned.
  private func attempt(of run: Run) -> EffectAttempt {
    guard let attempt = lock({ $0.machine.attempt(of: run.id) }) else {
      preconditionFailure("an operation runs and is no attempt")
    }
    return EffectAttempt(attempt)
  }

  override func open(_ run: Run) {
    let source = run.takeFirst()
    switch closure(of: source) {
    case .sequence(let iterate): iterateSequence(run, iterate)
    case .binding(let attach): attachBinding(run, attach)
    default: preconditionFailure("\(source.summary) is no source")
    }
  }

  /// Returns the closure of a node.
  ///
  /// Only this store's own effects reach it, and each node with a closure is of this class.
  func closure(of node: EffectNode) -> ClosureNode.Closure { unsafeDowncast(node, to: ClosureNode.self).closure }

  // MARK: Observers

  /// Adds an observer, which is told the current value first.
  ///
  /// - Returns: true if the store is active, and the observer was added.
  func attach(_ observer: CommitObserver) -> Bool {
    let isAttached = lock { core in
      guard core.phase != .inactive else { return false }
      core.observers.append(observer)
      if observer.note(storage) { core.deliveries.append(.passUnretained(observer), hop: DeliveryLoop.nextHop) }
      return true
    }
    if isAttached { DeliveryLoop.deliver(from: self) }
    return isAttached
  }

  func detach(_ observer: CommitObserver) {
    // Values that wait are not delivered any more.
    observer.isDetached.store(true, ordering: .releasing)
    // A mutation may drop a store that is bound to this one: then it leaves the list with the next commit.
    if isLockedHere { return }
    lock { $0.observers.remove(observer) }
  }
}
