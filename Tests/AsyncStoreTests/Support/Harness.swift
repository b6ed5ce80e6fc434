import AsyncStoreTesting
import Synchronization
import Testing

@testable import AsyncStore

/// Creates stores whose time and scheduling the test controls.
///
/// Everything runs on the test's own thread, inside ``settle()`` and ``advance(by:)``, which return when nothing more
/// can run. The harness never waits, yields or polls.
struct Harness {
  private let simulation = SteppedSimulation()

  var clock: TestClock { simulation.clock }
  var executor: any TaskExecutor { simulation.executor }
  var runnableCount: Int { simulation.runnableCount }
  var sleeperCount: Int { simulation.sleeperCount }
  var earliestDeadline: TestClock.Instant? { simulation.earliestDeadline }

  func store(
    _ state: Journal = Journal(), isolation: (any Actor)? = nil, seed: UInt64 = 0,
    instrument: (any StoreInstrument)? = nil,
    mapError: (@Sendable (any Error) -> JournalStore.Effect)? = nil
  ) -> JournalStore {
    store(of: state, env: (), isolation: isolation, seed: seed, instrument: instrument, mapError: mapError)
  }

  func store<State, Env>(
    of state: State, env: Env, isolation: (any Actor)? = nil, seed: UInt64 = 0,
    instrument: (any StoreInstrument)? = nil,
    mapError: (@Sendable (any Error) -> AsyncStore<State, Env>.Effect)? = nil
  ) -> AsyncStore<State, Env> {
    AsyncStore(
      state: state, env: env, clock: clock, isolation: isolation, executor: executor, seed: seed,
      instrument: instrument, mapError: mapError)
  }

  /// Runs one job.
  func step() { simulation.step() }

  /// Runs everything that can run without time passing.
  func settle() { simulation.settle() }

  /// Lets time pass, deadline by deadline.
  func advance(by duration: Duration) { simulation.advance(by: duration) }

  /// Lets time pass at once, as on a machine that was asleep.
  ///
  /// Everything that is due in between is late.
  func jump(by duration: Duration) { simulation.jump(by: duration) }

  /// Lets time pass as if the calling operation or closure took it.
  func spend(_ duration: Duration) { simulation.spend(duration) }

  /// Starts an asynchronous body as a task of the harness.
  func start<Value: Sendable>(
    priority: TaskPriority? = nil, _ body: @escaping @Sendable () async throws -> Value
  ) -> Started<Value> {
    let started = Started<Value>()
    let task = Task(executorPreference: executor, priority: priority) {
      do {
        let value = try await body()
        started.finish(.success(value))
      } catch {
        started.finish(.failure(error))
      }
    }
    started.cancellation.withLock { $0 = { task.cancel() } }
    return started
  }

  /// Runs an asynchronous body that has to end without time passing.
  func wait<Value: Sendable>(
    sourceLocation: Testing.SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let started = start(body)
    settle()
    return try #require(
      started.result, "nothing can run any more, and it has not ended", sourceLocation: sourceLocation
    ).get()
  }
}

/// An asynchronous body that has been started, and its result.
final class Started<Value: Sendable>: Sendable {
  fileprivate let cancellation = Mutex<(@Sendable () -> Void)?>(nil)
  private let outcome = Mutex<Result<Value, any Error>?>(nil)

  fileprivate func finish(_ result: Result<Value, any Error>) { outcome.withLock { $0 = result } }

  var result: Result<Value, any Error>? { outcome.withLock { $0 } }
  var isFinished: Bool { result != nil }
  var value: Value? { try? result?.get() }
  var error: (any Error)? {
    guard case .failure(let error) = result else { return nil }
    return error
  }

  func cancel() { cancellation.withLock { $0 }?() }
}

/// A value that operations and mapping closures write and a test reads.
final class Note<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  func change(_ body: @Sendable (inout Value) -> Void) {
    content.withLock { body(&$0) }
  }
}

extension Machine {
  var allFibers: [Fiber<P>] { fibers.slots.map { fibers[$0] } }
}

extension ScopeRegistry {
  /// True if a place still names an identifier.
  var hasIdentifiers: Bool { places.contains { self[$0].identifier != nil } }
}

extension AsyncStore {
  /// The violations of law 20 in a store at rest, which must have no node, no identifier, no deadline and no closure.
  var remains: [String] {
    runtime.lock { core in
      var remains: [String] = []
      func note(_ name: String, _ isLeft: Bool) { if isLeft { remains.append(name) } }
      note("fibers", core.machine.fibers.liveCount != 0)
      note(
        "closures of fibers",
        core.machine.allFibers.contains { $0.program != nil || $0.label != nil || !$0.outer.isEmpty })
      note(
        "activities of fibers",
        core.machine.allFibers.contains { if case .ready = $0.activity { false } else { true } })
      note("trees", core.machine.allFibers.contains { $0.context != nil })
      note("identifiers", !core.machine.registry.isEmpty || core.machine.registry.hasIdentifiers)
      note("rare state of fibers", core.machine.allFibers.contains { $0.rare != nil })
      note("deadlines", !core.machine.deadlines.isEmpty)
      note("suspensions", !core.machine.suspensions.isEmpty)
      note("latches", !core.latches.isEmpty || core.machine.isSpreadingBarrier)
      note("counts", core.machine.counts != FiberCounts())
      note("ready", !core.machine.ready.isEmpty || !core.machine.turns.isEmpty)
      note("trails", core.hasTrails)
      note("directives", !core.pass.directives.isEmpty)
      note("runs", (0..<core.runs.count).contains { core.runs[$0] != nil })
      // In real time it may sleep on.
      let mayStay = core.isActive && runtime.time === ContinuousClock.time
      note("alarm", !mayStay && (core.alarm.state != .off || core.alarm.sleeper != nil))
      note("deliveries", !core.deliveries.isEmpty || core.deliveries.isDelivering)
      note("waiters", !core.phaseWaiters.isEmpty)
      return remains
    }
  }
}
