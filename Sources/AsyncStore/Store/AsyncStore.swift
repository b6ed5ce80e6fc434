import Observation
import Synchronization

/// Holds a state and interprets effects.
///
/// All changes of the state are effects: inert values that the store interprets with structured concurrency. What waits has a
/// name by which it can be cancelled; sequences and other stores can be bound to the store; `activate` and `deactivate` bound
/// its life.
///
/// ```swift
/// struct Counter: Sendable { var count = 0 }
/// let store = AsyncStore(state: Counter(), env: ())
/// store.receive(.set(\.count, to: 3))
/// // store.count == 3
/// ```
///
/// **Isolation.** By default a store belongs to no actor: every method is safe from any thread, reads and the synchronous
/// prefix of an effect take place before the call returns. Pass `isolation` to bind a store to an actor, for user interfaces;
/// changes of the state and observers then run there, and only there.
///
/// **Lifetime.** No effect in flight keeps its store alive. Dropping the last reference deactivates the store.
@dynamicMemberLookup
public final class AsyncStore<State: Sendable, Env: Sendable>: AnyAsyncStore, @unchecked Sendable {
  // Touched only while `core` is locked. Memory of its own and not a property, so that no access to it is tracked at run
  // time, and so that observers see the state where it is and not a copy of it.
  let storage: UnsafeMutablePointer<State>
  // Touched only while `core` is locked.
  var tracked: [TrackedProperty<State, Env>] = []
  // What a module on top keeps beside the state. Touched only while `core` is locked.
  package var attachment: AnyObject?

  /// What the store's effects depend on: services, constants.
  public let env: Env
  let mapError: (@Sendable (any Error) -> Effect)?
  // Made when a property is read for the first time; most stores of a service are never read under Observation.
  private let lazyRegistrar = Mutex<ObservationRegistrar?>(nil)
  let platform = PlatformStorage()

  /// Creates an active store.
  ///
  /// - Parameters:
  ///   - state: the initial state.
  ///   - env: what effects depend on.
  ///   - clock: all time of the store is this clock's. Only `Duration` is measured in; a clock that goes backwards makes
  ///     deadlines late, never early.
  ///   - isolation: the actor that changes of the state happen on; by default none.
  ///   - executor: where operations run; by default the global executor.
  ///   - seed: where the generator for jitter starts; by default a random number.
  ///   - instrument: is told what happens; by default nobody.
  ///   - mapError: answers an operation's error with the effect that takes the operation's place. It runs on the thread on which the
  ///     operation ended, not under the store's lock. A cancelled operation's `CancellationError` comes here too; its effect
  ///     then runs in the nearest enclosing scope that is still alive. Without it errors are reported to the instrument and the
  ///     handle only.
  public init<C: Clock>(
    state: State, env: Env, clock: C = ContinuousClock(), isolation: (any Actor)? = nil,
    executor: (any TaskExecutor)? = nil, seed: UInt64? = nil, instrument: (any Instrument)? = nil,
    mapError: (@Sendable (any Error) -> Effect)? = nil
  ) where C.Duration == Duration {
    storage = .allocate(capacity: 1)
    storage.initialize(to: state)
    self.env = env
    self.mapError = mapError
    super.init(
      time: TimeSource(clock), isolation: isolation, executor: executor, seed: seed ?? SplitMix64.nextSeed(),
      instrument: instrument)
    // An instrument learns of errors where they are handed to be mapped.
    lock { $0.machine.mapsErrors = mapError != nil || instrument != nil }
  }

  deinit {
    // No thread can be inside any more: whoever calls a method holds a reference.
    if !isAtRest { endWithOrphans() }
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  var registrar: ObservationRegistrar {
    lazyRegistrar.withLock { registrar in
      if let registrar { return registrar }
      let new = ObservationRegistrar()
      registrar = new
      return new
    }
  }

  private var isAtRest: Bool {
    lock { $0.machine.liveCount == 0 && $0.observers.isEmpty && $0.deliveries.isEmpty }
  }

  private func endWithOrphans() {
    lock { $0.isGone = true }
    end()
    // The machine goes with the store. Who waits for a tree learns from the tree itself when its operations have returned.
    let orphans = lock { $0.machine.unsettledTrees() }
    for (tree, running) in orphans { tree.orphan(running: running) }
  }

  // MARK: Receiving

  /// Interprets an effect.
  ///
  /// When this returns, everything up to the first thing the effect has to wait for has been committed, in order, and is
  /// visible to the caller; in a `merge`, each child's own such prefix. For a store that is bound to an actor this holds when it
  /// is called on that actor; from elsewhere the changes follow in a turn on the actor.
  ///
  /// - Parameters:
  ///   - effect: what to do. If the store is not active, nothing happens, and the handle says so.
  ///   - isolation: where the caller is; leave it to the compiler.
  /// - Returns: a handle to wait for the effect or to cancel it. It may be dropped.
  @discardableResult
  public func receive(_ effect: Effect, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    if let own = self.isolation, own === isolation { return onIsolation { receive(effect, mayCommit: true) } }
    return receive(effect, mayCommit: isOnIsolation())
  }

  private func receive(_ effect: Effect, mayCommit: Bool) -> EffectHandle {
    switch effect {
    case .none:
      return isActive ? .finished : .inactive
    case .set(let mutation):
      if mayCommit { return commit(mutation) }
    case .node:
      break
    }
    return begin(effect, mayCommit: mayCommit)
  }

  /// Interprets an effect and waits until everything attached to it has settled.
  ///
  /// Cancelling the calling task cancels the effect, detached parts too, and returns once its operations have returned.
  @discardableResult
  public func run(_ effect: Effect, isolation: isolated (any Actor)? = #isolation) async -> EffectOutcome {
    let handle = receive(effect, isolation: isolation)
    return await withTaskCancellationHandler {
      await handle.outcome
    } onCancel: {
      handle.cancel()
    }
  }

  /// The commonest effect takes the shortest way: the lock, the closure, and whoever observes.
  private func commit(_ mutation: Mutation) -> EffectHandle {
    var hasDeliveries = false
    let isActive = lock { core in
      guard core.isActive else { return false }
      apply(mutation.body, &core)
      if core.instrument != nil {
        let record = EffectRecord(id: nil, label: nil, effect: Effect.set(mutation).summary)
        core.deliveries.append(.event(.committed(record)))
      }
      hasDeliveries = !core.deliveries.isEmpty
      return true
    }
    if hasDeliveries { DeliveryLoop.deliver(from: self) }
    if !isActive { ignore(.set(mutation)) }
    return isActive ? .finished : .inactive
  }

  private func begin(_ effect: Effect, mayCommit: Bool) -> EffectHandle {
    guard let program = effect.program else { return .finished }
    let tree = TreeContext(store: self, mayOperate: program.node.mayOperate)
    var isActive = true
    var root: StrandID?
    perform(in: tree, mayCommit: mayCommit) { core in
      isActive = core.isActive
      guard isActive else { return }
      root = core.machine.begin(program, context: tree, &core.pass)
      tree.began(at: root)
    }
    guard isActive else {
      ignore(effect)
      return .inactive
    }
    if root == nil { tree.end() }
    return EffectHandle(storage: .tree(tree))
  }

  private func ignore(_ effect: Effect) { instrument?.record(.ignored(effect.summary)) }

  /// Changes the state, under the lock, and notes who has to be told.
  func apply(_ body: (inout State) -> Void, _ core: inout Core) {
    mutatingThread.store(Thread.current, ordering: .relaxed)
    body(&storage.pointee)
    if !core.observers.isEmpty { core.observers.note(storage, &core.deliveries) }
    mutatingThread.store(0, ordering: .relaxed)
  }

  // MARK: What the shell asks for

  override func commit(_ site: Site<EffectProgram>, count: Int, _ core: inout Core) {
    let list = unsafeDowncast(site.program.node, to: ListNode.self)
    mutatingThread.store(Thread.current, ordering: .relaxed)
    list.apply(site.index..<(site.index + count), to: storage) {
      if !core.observers.isEmpty { core.observers.note(storage, &core.deliveries) }
    }
    mutatingThread.store(0, ordering: .relaxed)
  }

  override func evaluate(_ node: EffectNode, _ core: inout Core) -> EffectProgram? {
    var effect = Effect.none
    switch closure(of: node) {
    case .update(let body):
      apply({ effect = body(&$0) }, &core)
    case .dispatch(_, let body):
      apply({ effect = body(self, &$0) }, &core)
    case .silent(let body):
      mutatingThread.store(Thread.current, ordering: .relaxed)
      body(&storage.pointee)
      mutatingThread.store(0, ordering: .relaxed)
    case .read(let body):
      mutatingThread.store(Thread.current, ordering: .relaxed)
      effect = body(storage.pointee)
      mutatingThread.store(0, ordering: .relaxed)
    default:
      preconditionFailure("\(node.summary) is not evaluated")
    }
    return effect.program
  }

  override func map(_ tick: TimerTick, by node: EffectNode) -> EffectProgram? {
    guard case .timer(let mapEffect) = closure(of: node) else { preconditionFailure("\(node.summary) is no timer") }
    return mapEffect(tick).program
  }

  override func map(_ error: any Error, by node: EffectNode?) -> EffectProgram? {
    guard let node else { return mapError?(error).program }
    guard case .recover(let handler) = closure(of: node) else {
      preconditionFailure("\(node.summary) handles no error")
    }
    return handler(error).program
  }

  override func start(_ id: StrandID, _ node: EffectNode, _ run: Run, _ tree: TreeContext?) {
    if node.kind == .lift { forward(id, node, run, tree) } else { drive(id, node, run, tree) }
  }

  override func open(_ id: StrandID, _ node: EffectNode, _ run: Run) {
    switch closure(of: node) {
    case .sequence(let iterate): iterateSequence(id, run, iterate)
    case .binding(let attach): attachBinding(id, run, attach)
    default: preconditionFailure("\(node.summary) is no source")
    }
  }

  /// Only this store's own effects reach it, and each that has a closure is of this class.
  func closure(of node: EffectNode) -> ClosureNode.Closure { unsafeDowncast(node, to: ClosureNode.self).closure }

  override func takeObservers(_ core: inout Core) -> [CommitObserver] {
    tracked = []
    let observers = core.observers.removeAll()
    for observer in observers { observer.willEnd(storage) }
    return observers
  }
}
