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
  @TaskLocal public static var current: Simulation?

  /// Its time.
  public let clock: TestClock
  /// Its random numbers.
  public let random: SeededRandom
  /// What ``random`` starts from.
  public let seed: UInt64
  let scheduler: Scheduler
  private let stores = StoreList()
  private let story: Story?
  private let main = Outcome<TaskReference>()
  private let endChecks = Mutex<[@Sendable () -> Void]>([])

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
    let instrument = story?.teller(at: clock, passingOn: instrument) ?? instrument
    let store = AsyncStore(
      state: state, env: env, time: TestTime(scheduler), isolation: isolation, executor: scheduler,
      seed: seed &+ UInt64(stores.count), instrument: instrument, mapError: mapError)
    stores.append(store)
    return store
  }

  /// Looks after a store that was made elsewhere, with this simulation's ``clock`` and ``executor``: keeps it alive,
  /// lists it in reports, and sees at the end what it has in flight.
  public func watch(_ store: AnyAsyncStore) { stores.append(store) }

  /// Has something checked when the body has ended and nothing more can run.
  func atEnd(_ check: @escaping @Sendable () -> Void) { endChecks.withLock { $0.append(check) } }

  // MARK: Running

  /// Runs the body as the main task, right here, and everything else that can run.
  func run<Value: Sendable>(
    atEnd end: End, _ body: @escaping @Sendable (Simulation) async throws -> Value
  ) -> Result<Value, any Error> {
    RuntimeHooks.drive(scheduler) {
      scheduler.options.recording?.begin(seed: seed)
      defer { scheduler.options.recording?.end() }
      let result = Outcome<Result<Value, any Error>>()
      let task = Simulation.$current.withValue(self) {
        Task(executorPreference: scheduler) {
          do {
            let value = try await body(self)
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
      if case .cancelled = ending {
        tearDown(task)
        return .failure(CancellationError())
      }
      var failure = failure(for: ending)
      if failure == nil, case .success = result.value {
        for check in endChecks.withLock({ $0 }) { check() }
        if end == .nothingInFlight { failure = leak() }
      }
      tearDown(task)
      if let failure { return .failure(failure) }
      guard let value = result.value else { preconditionFailure("the main task ended without a result") }
      return value
    }
  }

  private func tearDown(_ main: Task<Void, Never>) {
    main.cancel()
    let stores = stores.removeAll()
    for store in stores { store.deactivate() }
    scheduler.abandon()
    endChecks.withLock { $0 = [] }
    scheduler.end()
  }

  // MARK: Failures

  private func failure(for ending: Scheduler.Ending) -> SimulationFailure? {
    switch ending {
    case .finished, .cancelled:
      return nil
    case .deadlock:
      return failure(
        .deadlock,
        clock.sleepers.isEmpty
          ? "Nothing can run any more, nobody sleeps, and the body has not ended. What it waits for never comes, or comes from outside of the simulation: from another thread, from real input and output."
          : "Nothing can run any more, and time stands still: let it pass with the simulation's clock, or simulate with automatic time."
      )
    case .starved:
      return failure(
        .starvation,
        "After \(scheduler.options.limits.jobs) jobs the body had not ended, and it did once every task had its turn: some tasks go round in circles and keep others from running. Have them wait for what they need."
      )
    case .tooManyJobs:
      return failure(
        .runaway,
        "After \(scheduler.options.limits.jobs) jobs the body has not ended. Something goes round in circles; or raise the limit."
      )
    case .tooLate:
      return failure(
        .runaway,
        "The time has come to its limit, and the body has not ended. Something repeats for ever; or raise the limit.")
    case .escaped(.resumed(let origin)):
      return failure(
        .escape,
        "A task of the simulation was resumed from a thread that the simulation doesn't know, so that the order of things is not its own. Replace what runs there by something that runs in the simulation.",
        origin.words)
    case .escaped(.systemSleep(let origin)):
      let subject = origin?.isAlarm == true ? "A store" : "A task, or a store,"
      return failure(
        .escape,
        "The system's clock is slept on. Make stores with `Simulation.store`, and give whatever sleeps the simulation's clock.",
        "\(subject) sleeps on it.\(origin.words.map { " \($0)" } ?? "")")
    }
  }

  private func leak() -> SimulationFailure? {
    let sleepers = scheduler.sleepers.contains { !$0.isAlarm }
    guard sleepers || !stores.report.isEmpty || !scheduler.plainTasks.isEmpty else { return nil }
    return failure(
      .leak,
      "The body has ended, and something is still in flight. Wait for it, cancel it, deactivate its store; or simulate with `atEnd: .cancels`."
    )
  }

  /// - Parameter detail: what the same failure may tell otherwise another time.
  func failure(_ code: SimulationFailure.Code, _ message: String, _ detail: String? = nil) -> SimulationFailure {
    var lines = ["\(code.description.capitalizedFirst): \(message)"]
    if let detail { lines.append(detail) }
    if code == .deadlock { lines += TaskWaits(scheduler.plainTasks, main: main.value).lines }
    let report = stores.report
    if !report.isEmpty { lines.append("In flight in \(report)") }
    let tasks = scheduler.sleepers.filter { !$0.isAlarm }
    if !tasks.isEmpty {
      lines.append(
        "Asleep on the clock: a task until \(tasks.map { "\($0.deadline)" }.joined(separator: ", another until "))")
    }
    let plainTasks = scheduler.plainTasks
    if !plainTasks.isEmpty {
      let subject = plainTasks.count == 1 ? "A task has" : "\(plainTasks.count) tasks have"
      let origins = plainTasks.compactMap(\.origin?.name)
      let places = origins.isEmpty ? "" : ", in \(origins.joined(separator: ", "))"
      lines.append(
        "\(subject) not returned that were made with `Task { … }`\(places): what they wait for has not come, or comes from outside of the simulation."
      )
    }
    lines.append("It is \(clock.now) since the beginning; seed \(seed), \(scheduler.jobCount) jobs.")
    return SimulationFailure(
      code, lines.joined(separator: "\n"), schedule: schedule, details: [message] + stores.effects)
  }
}

extension CodePlace? {
  /// A sentence about the function that made a task.
  fileprivate var words: String? { self?.name.map { "It was made in \($0)." } }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
