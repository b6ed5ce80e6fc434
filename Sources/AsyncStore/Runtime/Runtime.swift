import CAsyncStore
import Synchronization

/// The shell around a store's machine, without the store's types: the one lock, and what happens before and after it.
///
/// A store is a thin object in front of its runtime. Tasks, bindings and handles hold the runtime; users hold the
/// store, and so do lifts into it while they run. So nothing of its own that is in flight keeps a store alive, and
/// whatever is still running when the store is released finds its machine where it was. The runtime is released with
/// the last operation that returns.
///
/// `@unchecked` for `content` and `associatedObject`. The state and the object are touched only under the lock,
/// or after the store's last reference is gone, when nothing commits, observes or reads. The environment is written by
/// `init`, read by any thread, and released by `deinit`. The two flags of turns are touched on the store's actor only.
/// Everything else that changes is in the core, likewise under the lock, or atomic.
@usableFromInline
final class Runtime: @unchecked Sendable {
  // The fields that every change of the state touches come first, here and in what the lock guards, so that a commit to
  // one of a thousand bound stores fetches few cache lines.
  let isolation: (any Actor)?
  /// The thread that has the lock, to detect user code that calls the store from under it.
  @usableFromInline let lockingThread = Atomic<UInt>(0)
  /// The number of threads that wait for the lock, and the number of those that waited and have had it.
  let waiters = Atomic<Int>(0)
  let admissions = Atomic<UInt>(0)
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
      to: Core(
        seed: seed, now: time.reading, mapsErrors: mapError != nil, traced: instrumentation?.events ?? [],
        hasActor: isolation != nil, foldsOperations: instrumentation?.seesOperations != true))
    // Stored last, which moves them.
    self.typed = typed
    self.time = time
    self.isolation = isolation
    self.executor = executor
    self.instrumentation = instrumentation
    self.mapError = if let mapError { { mapError($0).program } } else { nil }
    content.core.pointee.machine.store = ObjectIdentifier(self)
    if wantsStates { keepStates(from: state) }
  }

  deinit {
    typed.releaseEnv(of: content)
    content.deallocate()
  }

  /// The executor, if it is a simulation's.
  ///
  /// The alarm, time limits and saves run on it, or on the global executor if there is none. They don't use the store's
  /// own executor, all of whose threads operations may block.
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
}
