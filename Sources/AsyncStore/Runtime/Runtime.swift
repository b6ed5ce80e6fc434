import CAsyncStore
import Synchronization

/// The shell around a store's machine, without the store's types: the one lock, and what happens before and after it.
///
/// A store is a thin object in front of its runtime. Tasks, bindings and handles hold the runtime; users hold the
/// store, and so do lifts into it while they run. So a store is not kept alive by its own effects in flight, and
/// whatever is still running when the store is released finds its machine where it was. The runtime is released when
/// the last operation returns.
///
/// `@unchecked` for `content` and `associatedObject`. The state and the object are touched only under the lock, or
/// after the store's last reference is gone, when nothing commits, observes or reads. The environment is written by
/// `init`, read by any thread, and released by `deinit`. The two flags for turns are touched only on the store's actor.
/// Everything else that changes is in the core, also under the lock, or is atomic.
@usableFromInline
final class Runtime: @unchecked Sendable {
  // The fields that every change of the state touches come first, here and in the memory that the lock guards, so that
  // a commit to one of a thousand bound stores fetches few cache lines.
  let isolation: (any Actor)?
  /// The thread that holds the lock, to detect user code that calls the store from under it.
  @usableFromInline let lockingThread = Atomic<UInt>(0)
  /// The number of threads that wait for the lock.
  let waiters = Atomic<Int>(0)
  /// The number of threads that have waited for the lock and got it.
  let admissions = Atomic<UInt>(0)
  /// The memory of the state and the environment, and of the data that the lock guards.
  @usableFromInline let content: StoreContent
  /// The operations that need the store's types.
  let typed: any TypedOperations.Type
  let time: any TimeSource
  let executor: (any TaskExecutor)?
  /// The store's name and instrument, if it has either.
  let instrumentation: Instrumentation?
  private let assignedNumber = Atomic<UInt64>(0)
  let mapError: (@Sendable (any Error) -> EffectProgram?)?
  /// True while effects that waited for a turn on the store's actor commit; touched only on that actor.
  @exclusivity(unchecked) var isTakingTurns = false
  /// True if a turn came during an earlier turn.
  @exclusivity(unchecked) var hasMissedTurn = false
  /// The object that a higher module associates with the store, and reads and changes under the lock.
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
        seed: seed, now: time.reading,
        MachineOptions(
          mapsErrors: mapError != nil, traced: instrumentation?.events ?? [],
          foldsOperations: instrumentation?.seesOperations != true),
        hasActor: isolation != nil))
    // Stored last; storing moves them.
    self.typed = typed
    self.time = time
    self.isolation = isolation
    self.executor = executor
    self.instrumentation = instrumentation
    self.mapError = if let mapError { { mapError($0).program } } else { nil }
    content.core.pointee.machine.options.store = ObjectIdentifier(self)
    if wantsStates { keepStates(from: state) }
  }

  deinit {
    typed.releaseEnv(of: content)
    content.deallocate()
  }

  /// The store's executor, if it belongs to a simulation.
  ///
  /// The alarm, time limits and saves run on it, or on the global executor if there is none. They don't use the store's
  /// own executor, because operations may block all of its threads.
  var simulatedExecutor: (any SimulatedExecutor)? { executor.flatMap { $0 as? any SimulatedExecutor } }
  var isSimulationOver: Bool { simulatedExecutor?.hasEnded ?? false }

  /// A number unique among the stores of the process, assigned when it is first read.
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
