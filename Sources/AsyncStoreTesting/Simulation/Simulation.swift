import AsyncStore
import Synchronization

/// A program that runs in virtual time, on one thread, in an order that a seed decides.
///
/// ``simulate(seed:time:jitter:atEnd:limits:_:)`` makes one and hands it to its body. Stores that come from
/// ``store(_:env:isolation:instrument:mapError:)`` live in it entirely; so does every task that is made in it, and code
/// of the main actor.
///
/// **What can't be simulated:** threads of other libraries and real input and output, standard-library sleeps, actors
/// with an executor of their own, code that never suspends, dates and identifiers that were not injected, races on
/// memory. A task that another thread resumes is reported as an escape, and so is one that goes to sleep on the
/// system's clock; one that has not returned at the end as a leak, or as a deadlock if the body waits for it. Of the
/// rest a simulation knows nothing.
///
/// **Cancellation** of the task that simulates ends the simulation after the job that runs: what is left is cancelled,
/// and `CancellationError` thrown.
///
/// Simulations take turns: a second one in the same process waits, and holds its thread, until the first one has ended.
public final class Simulation: Sendable {
  /// How the time passes.
  public enum Time: Sendable {
    /// By itself, whenever nothing can run and the body waits for something other than the clock.
    case automatic
    /// Only in the methods of ``Simulation/clock``.
    case manual
  }

  /// What may be in flight when the body has ended.
  public enum End: Sendable {
    /// Nothing.
    case nothingInFlight
    /// Anything; it is cancelled.
    case cancels
  }

  /// The simulation that this task runs in, if it does.
  ///
  /// Task-local; a detached task does not have it.
  public static var current: Simulation? { Membership.current?.simulation }

  /// Its time.
  public let clock: TestClock
  /// Its random numbers.
  public let random: SeededRandom
  /// What ``random`` starts from.
  public let seed: UInt64
  let scheduler: Scheduler
  let stores = StoreList()
  private let story: Story?
  let members = Members()
  let main = Outcome<TaskReference>()
  private let endChecks = Mutex<[@Sendable () throws -> Void]>([])
  /// `nil`: the body has ended.
  private let endings = Mutex<[@Sendable () -> Void]?>([])

  init(seed: UInt64, strategy: any SchedulingStrategy, options: Scheduler.Options, story: Story? = nil) {
    self.seed = seed
    self.story = story
    random = SeededRandom(seed: seed)
    scheduler = Scheduler(strategy: strategy, options: options)
    clock = TestClock(scheduler: scheduler, stores: stores)
  }

  /// With a seed the order is random, without one that of becoming runnable.
  convenience init(seed: UInt64?, options: Scheduler.Options) {
    let strategy: any SchedulingStrategy = seed.map { RandomStrategy(seed: $0) } ?? ReplayStrategy()
    self.init(seed: seed ?? 0, strategy: strategy, options: options)
  }

  /// Where everything runs: for stores and tasks that the test makes itself.
  public var executor: any TaskExecutor { scheduler }

  /// The choices made so far.
  public var schedule: Schedule { Schedule(seed: seed, choices: scheduler.choices) }

  /// How many jobs have run so far.
  ///
  /// A job is what a task does between two suspensions.
  public var jobCount: Int { scheduler.jobCount }

  /// Lets everything run that can run without time passing.
  public func settle() async { await clock.advance(by: .zero) }

  // MARK: Stores

  /// Creates a store that lives in the simulation: its time, its executor, a seed of its own.
  ///
  /// The simulation keeps it alive, to see at the end what it has in flight. For a test of what dropping a store does
  /// create it with ``clock`` and ``executor``.
  ///
  /// - Parameters:
  ///   - state: the initial state.
  ///   - env: what effects depend on.
  ///   - isolation: the actor that changes of the state happen on; by default none.
  ///   - instrument: is told what happens; by default nobody.
  ///   - mapError: answers an operation's error with the effect that takes the operation's place.
  public func store<State, Env>(
    _ state: State, env: Env, isolation: (any Actor)? = nil, instrument: (any StoreInstrument)? = nil,
    mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)? = nil
  ) -> AsyncStore<State, Env> {
    store(
      state, env: env, time: TestTime(scheduler), isolation: isolation, instrument: instrument, mapError: mapError)
  }

  func store<State, Env>(
    _ state: State, env: Env, time: any TimeSource, isolation: (any Actor)?, instrument: (any StoreInstrument)?,
    mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)?
  ) -> AsyncStore<State, Env> {
    let instrument =
      story?.teller(
        of: "\(State.self) \(stores.count + 1)", at: clock, passingOn: instrument) ?? instrument
    let store = AsyncStore(
      state: state, env: env, time: time, isolation: isolation, executor: scheduler,
      seed: seed &+ UInt64(stores.count), instrument: instrument, mapError: mapError)
    stores.append(store)
    return store
  }

  /// Looks after a store that was made elsewhere, with this simulation's ``clock`` and ``executor``: keeps it alive,
  /// lists it in reports, and sees at the end what it has in flight.
  public func watch(_ store: AnyAsyncStore) { stores.append(store) }

  /// Has something checked when the body has ended and nothing more can run.
  func atEnd(_ check: @escaping @Sendable () throws -> Void) { endChecks.withLock { $0.append(check) } }

  /// Has something ended with the body, before what can still run does; at once if the body has ended.
  func endWithBody(_ ending: @escaping @Sendable () -> Void) {
    let hasEnded = endings.withLock { endings in
      endings?.append(ending)
      return endings == nil
    }
    if hasEnded { ending() }
  }

  /// Adds a line to what a failure tells; costs nothing where nobody listens.
  func tell(_ line: @autoclosure () -> String) { story?.add(line(), at: clock.now) }

  private func endWithBody() {
    let endings = endings.withLock { endings in
      defer { endings = nil }
      return endings ?? []
    }
    for ending in endings { ending() }
  }

  // MARK: Running

  /// Has the tasks that `body` makes run in this simulation.
  func makingTasks<Result>(_ body: () -> Result) -> Result { members.add(to: self, makingTasks: body) }

  /// Runs the body as the main task, right here, and everything else that can run.
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
