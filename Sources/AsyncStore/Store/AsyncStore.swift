import Synchronization

/// Holds a state and interprets effects.
///
/// The state changes only through effects, inert values that the store interprets with structured concurrency, and
/// through ``update(isolation:file:line:_:)``. Give an effect an identifier to cancel it or wait for it later.
/// Sequences and other stores can be bound to the store. ``AnyAsyncStore/deactivate()`` ends everything in flight;
/// ``AnyAsyncStore/activate()`` makes the store accept effects again.
///
/// ```swift
/// struct Counter: Sendable { var count = 0 }
/// let store = AsyncStore(state: Counter(), env: ())
/// store.receive(.set(\.count, to: 3))
/// // store.count == 3
/// ```
///
/// **Isolation.** By default, a store belongs to no actor: every method is safe from any thread. Reads and the
/// synchronous prefix of an effect take place before the call returns. For user interfaces, pass `isolation` to bind a
/// store to an actor; changes of the state and observers then run only there.
///
/// **Lifetime.** No effect in flight keeps its store alive. Releasing the last reference deactivates the store.
@dynamicMemberLookup
public final class AsyncStore<State: Sendable, Env: Sendable>: AnyAsyncStore, @unchecked Sendable {
  // `@unchecked` because its superclass is. Its own part is constants and an atomic.

  // Created when a property is read for the first time.
  let tracking = AtomicLazyReference<Tracking>()
  let platform = PlatformStorage()

  /// The dependencies of the store's effects, such as services and constants.
  public var env: Env { Self.env(of: runtime) }

  /// Creates an active store.
  ///
  /// - Parameters:
  ///   - state: the initial state.
  ///   - env: the dependencies of effects.
  ///   - name: the store's name for people, in events, logs and traces; by default none.
  ///   - clock: the clock for all of the store's time. Its durations are `Duration` values. Its `now` is called under
  ///     the store's lock, and must not call the store. A clock that goes backwards makes deadlines late, never early.
  ///     A clock whose `sleep` throws without having been cancelled stops the program, since the store's time would
  ///     stand still.
  ///   - isolation: the actor on which changes of the state happen; by default none. The store keeps it alive.
  ///   - executor: the executor on which operations run; by default the global executor. Sleeps and time limits end
  ///     even if all its threads are blocked, unless it belongs to a simulation.
  ///   - seed: the seed of the generator for jitter; by default a random number.
  ///   - instrument: receives the store's events; by default none. ``CombinedInstrument`` combines several.
  ///   - mapError: maps an operation's error to the effect that takes the operation's place. Runs on the thread that
  ///     brings the error: the thread of the operation or the stream or, for a retry, a race or a sequence, the thread
  ///     on which its last part ended, which may be the store's actor. Not under the store's lock. A cancelled
  ///     operation's `CancellationError` is mapped too; its effect then runs in the nearest enclosing scope that is
  ///     still alive. Without `mapError`, errors are reported only to the instrument and the handle.
  @inlinable
  public convenience init<C: Clock>(
    state: State, env: Env, name: String? = nil, clock: C = ContinuousClock(), isolation: (any Actor)? = nil,
    executor: (any TaskExecutor)? = nil, seed: UInt64? = nil, instrument: consuming (any StoreInstrument)? = nil,
    mapError: (@Sendable (any Error) -> Effect)? = nil
  ) where C.Duration == Duration {
    // Inlined, so that the types of the state and of the clock are known and are not looked up for each store. The
    // instrument is consumed, as all arguments of an initializer are. Because this initializer is written out, the
    // instrument is not copied to check it for `nil`.
    self.init(
      Runtime(
        typed: Self.self, state: state, env: env, time: clock.timeSource, isolation: isolation, executor: executor,
        seed: seed ?? SplitMix64.nextSeed(), instrumentation: .make(name, instrument), mapError: mapError))
  }

  /// Creates a store with a time source instead of a clock.
  package convenience init(
    state: State, env: Env, name: String?, time: any TimeSource, isolation: (any Actor)?,
    executor: (any TaskExecutor)?, seed: UInt64, instrument: (any StoreInstrument)?,
    mapError: (@Sendable (any Error) -> Effect)?
  ) {
    self.init(
      Runtime(
        typed: Self.self, state: state, env: env, time: time, isolation: isolation, executor: executor, seed: seed,
        instrumentation: .make(name, instrument), mapError: mapError))
  }

  @usableFromInline
  override init(_ runtime: Runtime) { super.init(runtime) }

  // MARK: Receiving

  /// Interprets an effect.
  ///
  /// Everything up to the effect's first wait is committed in order before this returns, and is visible to the caller;
  /// in a `merge`, that is each child's own prefix. For a store that is bound to an actor, this holds for calls on that
  /// actor; for calls from elsewhere, the changes follow in a turn on the actor.
  ///
  /// - Parameters:
  ///   - effect: the effect to interpret. If the store is not active, nothing happens, and the handle's outcome is
  ///     `inactive`.
  ///   - isolation: the caller's isolation; leave it to the compiler.
  /// - Returns: a handle for waiting for the effect or cancelling it. It may be dropped.
  @discardableResult
  @inlinable
  @inline(__always)
  public func receive(_ effect: Effect, isolation: isolated (any Actor)? = #isolation) -> EffectHandle {
    // Always inlined: in a function of a client's own module a bare `set` takes 57 instructions instead of 115
    // (`Tests/Benchmarks/instructions C1`).
    switch effect {
    case .set(let mutation) where commitIfUnobserved(mutation): .finished
    default: receive(effect, on: isolation)
    }
  }

  /// Interprets an effect and waits until everything attached to it has settled.
  ///
  /// It begins as in ``receive(_:isolation:)``, on the caller's actor if there is one.
  ///
  /// Cancelling the calling task cancels the effect, including detached parts, and returns once its operations have
  /// returned and its cleanups have settled.
  ///
  /// If the caller is on no actor, and neither the calling task nor the store has an executor, the last operation that
  /// the effect begins at once may start on the caller's thread, in a task of its own, and continue elsewhere once it
  /// has waited for something. In a closure of `Task.immediate`, the caller's thread is the thread that created that
  /// task.
  @discardableResult
  @inlinable
  @inline(__always)
  public nonisolated(nonsending) func run(_ effect: Effect) async -> EffectOutcome {
    if case .set(let mutation) = effect, commitIfUnobserved(mutation) { return .finished }
    return await run(effect, on: #isolation)
  }
}

extension AsyncStore {
  /// Interprets an effect and waits until everything attached to it has settled.
  @usableFromInline
  nonisolated(nonsending) func run(_ effect: Effect, on isolation: (any Actor)?) async -> EffectOutcome {
    // A caller that is known to be on its actor does not go there: in a task that prefers an executor, that would
    // suspend it before the effect begins.
    if let isolation, isolation.isCurrent != true { return await run(effect, there: isolation) }
    return await outcome(of: effect, on: isolation)
  }

  /// Goes to the actor first, where `#isolation` may name one that the caller is not on.
  private func run(_ effect: Effect, there isolation: isolated any Actor) async -> EffectOutcome {
    await outcome(of: effect, on: isolation)
  }

  private nonisolated(nonsending) func outcome(of effect: Effect, on isolation: (any Actor)?) async -> EffectOutcome {
    var begun = interpret(effect, on: isolation, returnsLastOperation: Self.mayStartHere(on: isolation, for: runtime))
    guard case .tree(let tree) = begun.handle.storage else { return begun.handle.outcomeIfSettled ?? .finished }
    // Nothing is left that a cancelled caller would have to cancel.
    if begun.lastOperation == nil, let outcome = tree.outcomeIfSettled, !Task.isCancelled { return outcome }
    return await outcome(of: tree, starting: begun.lastOperation.take(), on: isolation)
  }

  private func outcome(
    of tree: TreeContext, starting run: consuming Run?, on isolation: isolated (any Actor)?
  ) async -> EffectOutcome {
    var run = run
    return await withTaskCancellationHandler {
      // On the caller's actor, because waiting elsewhere would change threads two more times. A closure is on the actor
      // that it captures.
      _ = isolation
      // Only here, where a cancel of the caller reaches the operation. Taken, because the run holds its task.
      if let run = run.take() { Self.driveHere(run) }
      if let outcome = tree.outcomeIfSettled { return outcome }
      return await tree.outcome()
    } onCancel: {
      tree.callerCancelled()
    }
  }
}

extension AsyncStore {
  /// Commits a bare `set` by the shortest path: only the lock and the change.
  ///
  /// - Returns: true if the state was changed; otherwise, the caller takes the next path.
  @inlinable
  @inline(__always)
  func commitIfUnobserved(_ mutation: Mutation) -> Bool {
    runtime.changeIfUnobserved { mutation.change.apply(to: $0.assumingMemoryBound(to: State.self)) }
  }

  @usableFromInline
  @inline(never)
  func receive(_ effect: Effect, on isolation: (any Actor)?) -> EffectHandle {
    interpret(effect, on: isolation, returnsLastOperation: false).handle
  }

  /// Interprets an effect, except possibly the start of its last operation.
  ///
  /// - Parameter returnsLastOperation: true if the caller starts that operation.
  @inline(__always)
  private func interpret(
    _ effect: Effect, on isolation: (any Actor)?, returnsLastOperation: Bool
  ) -> BegunEffect {
    runtime.call(from: isolation) { mayCommit in
      finishOrBegin(effect, mayCommit: mayCommit, returnsLastOperation: returnsLastOperation)
    }
  }

  /// Commits a bare `set` at once, and begins a tree for any other effect.
  @inline(__always)
  private func finishOrBegin(_ effect: Effect, mayCommit: Bool, returnsLastOperation: Bool) -> BegunEffect {
    switch effect {
    case .none: return BegunEffect(handle: runtime.isActive ? .finished : .inactive)
    case .set(let mutation) where mayCommit:
      runtime.takeWaitingTurns()
      return BegunEffect(handle: commit(mutation))
    default: return beginTree(effect, mayCommit: mayCommit, returnsLastOperation: returnsLastOperation)
    }
  }

  @inline(never)
  private func beginTree(_ effect: Effect, mayCommit: Bool, returnsLastOperation: Bool) -> BegunEffect {
    guard let program = effect.program else { preconditionFailure("there is nothing to begin") }
    if let scopes = program.node.cancelledScopes {
      return BegunEffect(handle: runtime.cancel(scopes, for: program, mayCommit: mayCommit) ? .finished : .inactive)
    }
    if mayCommit { runtime.takeWaitingTurns() }
    let tree = TreeContext(runtime, mayOperate: program.node.mayOperate)
    let handle = EffectHandle(storage: .tree(tree))
    if let run = runtime.begin(operation: program, in: tree) {
      if returnsLastOperation { return BegunEffect(handle: handle, lastOperation: run) }
      Self.drive(run)
      return BegunEffect(handle: handle)
    }
    let (isAccepted, lastOperation) = runtime.begin(
      program, in: tree, mayCommit: mayCommit, returnsLastOperation: returnsLastOperation)
    return BegunEffect(handle: isAccepted ? handle : .inactive, lastOperation: lastOperation)
  }
}

/// An effect that has begun, except possibly the start of its last operation.
private struct BegunEffect {
  let handle: EffectHandle
  /// The operation that the caller has to start, if there is one.
  var lastOperation: Run?
}
