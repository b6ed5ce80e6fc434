import AsyncStore
import Synchronization

/// A program that runs in virtual time, on one thread, in an order that a seed determines.
///
/// ``simulate(seed:time:jitter:atEnd:limits:_:)`` creates a simulation and passes it to its body. Stores from
/// ``store(_:env:name:isolation:instrument:mapError:)`` live in it entirely; so do every task created in it, and code
/// of the main actor.
///
/// **What can't be simulated:** threads of other libraries and real input and output, standard-library sleeps, actors
/// with an executor of their own, code that never suspends, dates and identifiers that were not injected, races on
/// memory. A task that another thread resumes is reported as an escape, and so is a task that goes to sleep on the
/// system's clock. A task that has not returned at the end is reported as a leak, or as a deadlock if the body waits
/// for it. A simulation does not detect the rest.
///
/// **Cancellation** of the simulating task ends the simulation after the current job: everything that is left is
/// cancelled, and `CancellationError` is thrown.
///
/// Simulations take turns: a second simulation in the same process waits, and holds its thread, until the first one has
/// ended.
public final class Simulation: Sendable {
  /// The way in which time passes.
  public enum Time: Sendable {
    /// Time passes by itself, whenever nothing can run and the body waits for something other than the clock.
    case automatic
    /// Time passes only in the methods of ``Simulation/clock``, and in ``Simulation/eventually(within:rounds:_:)``.
    case manual
  }

  /// The rule for effects and tasks in flight when the body has ended.
  public enum End: Sendable {
    /// Nothing may be in flight.
    case nothingInFlight
    /// Anything may be in flight, and most of it is cancelled: the effects of the simulation's stores, sleeps on its
    /// clock, and each `Task { … }`.
    ///
    /// Cancelled tasks may clean up: each may run a thousand more jobs, about ten for a sleep, and together they may
    /// run at least ten thousand beyond that. A task that has not ended by then stays where it is.
    ///
    /// A task that began at once or on an actor other than the main one, or that has an executor of its own, is not
    /// cancelled. If it sleeps on the clock, that sleep throws `CancellationError`; otherwise it stays where it is.
    case cancels
  }

  /// The simulation that this task runs in, or `nil` if it runs in none.
  ///
  /// The value is task-local; a detached task does not have it.
  public static var current: Simulation? { Membership.current?.simulation }

  /// The clock of the simulation.
  public let clock: TestClock
  /// The random numbers of the simulation.
  public let random: SeededRandom
  /// The seed, from which the seeds of the schedule, of ``random`` and of the stores are derived.
  public let seed: UInt64
  let scheduler: Scheduler
  let stores = StoreList()
  /// False for a simulation without a seed, in which jobs run in the order in which they became runnable.
  let isSeeded: Bool
  private let eventLog: EventLog?
  let members = Members()
  let main = Outcome<TaskReference>()
  private let endChecks = Mutex<[@Sendable () throws -> Void]>([])
  /// The closures to call when the body ends, or `nil` once the body has ended.
  private let endings = Mutex<[@Sendable () -> Void]?>([])

  init(
    seed: UInt64, isSeeded: Bool = true, strategy: any SchedulingStrategy, options: Scheduler.Options,
    eventLog: EventLog? = nil
  ) {
    self.seed = seed
    self.isSeeded = isSeeded
    self.eventLog = eventLog
    random = SeededRandom(seed: Self.seed(seed, of: 0))
    scheduler = Scheduler(strategy: strategy, options: options)
    clock = TestClock(scheduler: scheduler, stores: stores)
  }

  /// Returns the seed of one of the sequences of random numbers, which differ from each other and from the schedule's.
  static func seed(_ seed: UInt64, of sequence: UInt64) -> UInt64 {
    var generator = SplitMix64(seed: seed)
    var mixed = SplitMix64(seed: ~generator.next() &+ sequence)
    return mixed.next()
  }

  /// Creates a simulation.
  ///
  /// With a seed, the order of jobs is random; without a seed, jobs run in the order in which they became runnable.
  convenience init(seed: UInt64?, options: Scheduler.Options) {
    let strategy: any SchedulingStrategy = seed.map { RandomStrategy(seed: $0) } ?? ReplayStrategy()
    self.init(seed: seed ?? 0, isSeeded: seed != nil, strategy: strategy, options: options)
  }

  /// The executor that everything runs on, for stores and tasks that the test creates itself.
  public var executor: any TaskExecutor { scheduler }

  /// The choices made so far.
  public var schedule: Schedule { Schedule(seed: seed, choices: scheduler.choices) }

  /// The number of jobs that have run so far.
  ///
  /// A job is the part of a task between two suspensions, including those that change the executor. A `Task { … }`
  /// takes a few more jobs where a child task takes one, and about ten for a sleep. A thousand rounds of bindings that
  /// do not settle count as a thousand jobs.
  public var jobCount: Int { scheduler.jobCount }

  /// Runs everything that can run without time passing.
  public func settle() async { await clock.advance(by: .zero) }

  // MARK: Stores

  /// Creates a store that lives in the simulation, with the simulation's time and executor, and a seed of its own.
  ///
  /// The simulation keeps the store alive, to see at the end what it has in flight. To test the release of a store,
  /// create the store with ``clock`` and ``executor``.
  ///
  /// - Parameters:
  ///   - state: the initial state.
  ///   - env: the dependencies of effects.
  ///   - name: the store's name for people; by default none.
  ///   - isolation: the actor on which changes of the state happen; by default none.
  ///   - instrument: receives the store's events; by default there is none.
  ///   - mapError: maps an operation's error to the effect that takes the operation's place.
  public func store<State, Env>(
    _ state: State, env: Env, name: String? = nil, isolation: (any Actor)? = nil,
    instrument: (any StoreInstrument)? = nil,
    mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)? = nil
  ) -> AsyncStore<State, Env> {
    store(
      state, env: env, name: name, time: TestTime(scheduler), isolation: isolation, instrument: instrument,
      mapError: mapError)
  }

  func store<State, Env>(
    _ state: State, env: Env, name: String?, time: any TimeSource, isolation: (any Actor)?,
    instrument: (any StoreInstrument)?, mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)?
  ) -> AsyncStore<State, Env> {
    let logging = eventLog?.instrument(named: name ?? "\(State.self) \(stores.count + 1)", at: clock)
    let instruments = [logging, instrument].compactMap { $0 }
    let instrument = instruments.count > 1 ? CombinedInstrument(instruments) : instruments.first
    let store = AsyncStore(
      state: state, env: env, name: name, time: time, isolation: isolation, executor: scheduler,
      seed: Self.seed(seed, of: 1 + UInt64(stores.count)), instrument: instrument, mapError: mapError)
    stores.append(store)
    return store
  }

  /// Watches a store created with this simulation's ``clock`` and ``executor``: keeps it alive, lists it in reports,
  /// and sees at the end what it has in flight.
  ///
  /// A simulation knows about any other store only that it sleeps on the clock, and until when. That counts as
  /// something in flight, even while only a throttle's window is open. A latency may end only at the first of such a
  /// store's deadlines.
  public func watch(_ store: AnyAsyncStore) { stores.append(store) }

  /// Adds a check that runs when the body has ended and nothing more can run.
  func atEnd(_ check: @escaping @Sendable () throws -> Void) { endChecks.withLock { $0.append(check) } }

  /// Adds a closure that runs with the end of the body, before anything that can still run; at once if the body has
  /// ended.
  func endWithBody(_ ending: @escaping @Sendable () -> Void) {
    let hasEnded = endings.withLock { endings in
      endings?.append(ending)
      return endings == nil
    }
    if hasEnded { ending() }
  }

  /// Adds a line to the report of a failure; costs nothing if no events are logged.
  func tell(_ line: @autoclosure () -> String) { eventLog?.add(line(), at: clock.now) }

  /// Adds a choice of the body to the report of a failure; costs nothing if no events are logged.
  func tell(choice: @autoclosure () -> String) { eventLog?.add(choice: choice(), at: clock.now) }

  private func endWithBody() {
    let endings = endings.withLock { endings in
      defer { endings = nil }
      return endings ?? []
    }
    for ending in endings { ending() }
  }

  // MARK: Running

  /// Makes the tasks that `body` creates run in this simulation.
  func makingTasks<Result>(_ body: () -> Result) -> Result { members.add(to: self, makingTasks: body) }

  /// Runs the body as the main task, on this thread, and everything else that can run.
  func run<Value: Sendable>(
    atEnd end: End, _ body: @escaping @Sendable (Simulation) async throws -> Value
  ) -> Result<Value, any Error> {
    RuntimeHooks.drive(scheduler) {
      scheduler.options.recording?.begin(seed: seed)
      defer { scheduler.options.recording?.end() }
      let result = Outcome<Result<Value, any Error>>()
      let task = makingTasks {
        Task(executorPreference: scheduler) {
          do {
            let value = try await body(self)
            self.endWithBody()
            result.set(.success(value))
            self.scheduler.noteMainEnd(isFailure: false)
          } catch {
            result.set(.failure(error))
            self.scheduler.noteMainEnd(isFailure: true)
          }
        }
      }
      main.set(TaskReference(task))
      scheduler.note(main: TaskReference(task))
      let ending = scheduler.drive()
      var failure = failure(for: ending)
      if failure == nil, case .success = result.value {
        do {
          for check in endChecks.withLock({ $0 }) { try check() }
          if end == .nothingInFlight { failure = leak() }
        } catch {
          failure = error
        }
      }
      tearDown(task)
      if let failure { return .failure(failure) }
      guard let value = result.value else { preconditionFailure("the main task ended without a result") }
      return value
    }
  }

  private func tearDown(_ main: Task<Void, Never>) {
    main.cancel()
    endWithBody()
    let stores = stores.removeAll()
    for store in stores { store.deactivate() }
    scheduler.abandon()
    endChecks.withLock { $0 = [] }
    scheduler.end()
  }
}
