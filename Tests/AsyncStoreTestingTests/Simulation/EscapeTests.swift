import AsyncStore
import AsyncStoreTesting
import Foundation
import Synchronization
import Testing

@Suite("A simulation that a task leaves")
struct EscapeTests {
  @Test(
    "A simulation fails if a real thread resumes a plain task, whether or not anyone waits for it",
    arguments: [false, true])
  func realThread(isAwaited: Bool) async throws {
    try await failsEachTime([.escape, .leak, .deadlock]) { simulation in
      let suspended = DispatchSemaphore(value: 0)
      let task = Task {
        await withUnsafeContinuation { continuation in
          Thread.detachNewThread {
            suspended.wait()
            continuation.resume()
          }
        }
      }
      await simulation.settle()
      suspended.signal()
      if isAwaited { await task.value }
    }
  }

  @Test("A simulation fails if a real thread resumes a task while others run")
  func realThreadMeanwhile() async throws {
    try await failsEachTime([.escape]) { simulation in
      let waiter = Note<UnsafeContinuation<Void, Never>?>(nil)
      let task = Task { await withUnsafeContinuation { waiter.value = $0 } }
      await simulation.settle()
      resumeElsewhere(waiter.value)
      await task.value
    }
  }

  @Test("A simulation fails if a real thread resumes a task of the main actor's")
  func realThreadOnMainActor() async throws {
    try await failsEachTime([.escape]) { simulation in
      let waiter = Note<UnsafeContinuation<Void, Never>?>(nil)
      let task = Task { @MainActor in await withUnsafeContinuation { waiter.value = $0 } }
      await simulation.settle()
      resumeElsewhere(waiter.value)
      await task.value
    }
  }

  @Test("A child of a plain task that a real thread resumes runs on no other thread")
  func realThreadInChild() async throws {
    let threads = Note<[String: String]>([:])
    let note: @Sendable (String) -> Void = { name in threads.change { $0[name] = "\(pthread_self())" } }
    try await failsEachTime([.escape]) { simulation in
      let waiter = Note<UnsafeContinuation<Void, Never>?>(nil)
      let task = Task {
        async let child: Void = {
          note("before")
          await withUnsafeContinuation { waiter.value = $0 }
          note("after")
        }()
        await child
      }
      await simulation.settle()
      resumeElsewhere(waiter.value)
      await task.value
    }
    #expect(threads.value["before"] == threads.value["after"])
  }

  // MARK: Tasks from outside

  @Test("A task that was made before the simulation runs outside of it, also if the simulation resumes it")
  func outsideTask() async throws {
    let (waits, wait) = AsyncStream.makeStream(of: UnsafeContinuation<Void, Never>.self)
    let outside = Task.detached {
      for _ in 1...2 { await withUnsafeContinuation { _ = wait.yield($0) } }
    }
    var iterator = waits.makeAsyncIterator()
    let first = try #require(await iterator.next())
    try await simulate { _ in first.resume() }
    await iterator.next()?.resume()
    await outside.value
  }

  #if os(Linux)
    @Test("A task that another thread makes meanwhile belongs to no simulation, also if one runs it in an actor's turn")
    func outsideTaskMadeMeanwhile() async throws {
      let (gate, opening) = AsyncStream.makeStream(of: Never.self)
      let outside = Note<Task<Bool, Never>?>(nil)
      try await simulate { _ in
        await Shared.run {
          doElsewhere {
            outside.value = Task { @Shared in
              async let child: Void = switchPoint()
              await child
              for await _ in gate {}
              return Task.isCancelled
            }
          }
        }
      }
      opening.finish()
      #expect(await outside.value?.value == false)
    }

    @Test("A task of another thread continues outside, also if one resumes it that begins while it is being made")
    func outsideTaskDuringMaking() async throws {
      let (gate, opening) = AsyncStream.makeStream(of: Never.self)
      let (outside, waiter) = (Note<Task<Bool, Never>?>(nil), Note<UnsafeContinuation<Void, Never>?>(nil))
      try await simulate { _ in
        doElsewhere {
          outside.value = Task.immediateDetached {
            await withUnsafeContinuation { waiter.value = $0 }
            for await _ in gate {}
            return Task.isCancelled
          }
        }
        await Task(executorPreference: Immediately()) { waiter.value?.resume() }.value
      }
      opening.finish()
      #expect(await outside.value?.value == false)
    }

    @Test("A task of another thread continues outside, also if a simulation runs it in the last turn of an actor")
    func outsideTaskInLastTurn() async throws {
      let outside = Note<Task<Void, Never>?>(nil)
      try await simulate { _ in
        // The last job of this task is the actor's. So its result is released when the simulation is over.
        _ = Task { @LastTurn in
          await switchPoint()
          return AtRelease {
            Task { @LastTurn in doElsewhere { outside.value = Task { @LastTurn in await switchPoint() } } }
          }
        }
      }
      await outside.value?.value
    }
  #endif

  /// The tasks of an outer simulation.
  enum OuterTask: CaseIterable {
    case plain, withExecutor, onMainActor, begunOnActor

    /// Starts a task that waits twice.
    func start(in simulation: Simulation, _ waits: @escaping @Sendable () async -> Void) async -> Task<Void, Never> {
      switch self {
      case .plain: Task.detached(operation: waits)
      case .withExecutor: Task(executorPreference: simulation.executor, operation: waits)
      case .onMainActor: Task { @MainActor in await waits() }
      case .begunOnActor: await Beginner().start(waits)
      }
    }
  }

  @Test("A simulation may resume the tasks of one that it runs in, where they continue", arguments: OuterTask.allCases)
  func outerTask(_ kind: OuterTask) async throws {
    try await simulate { simulation in
      let (first, second) = (Note<UnsafeContinuation<Void, Never>?>(nil), Note<UnsafeContinuation<Void, Never>?>(nil))
      let task = await kind.start(in: simulation) {
        await withUnsafeContinuation { first.value = $0 }
        await withUnsafeContinuation { second.value = $0 }
      }
      await simulation.settle()
      try await simulate { inner in
        first.value?.resume()
        await inner.settle()
      }
      await simulation.settle()
      #expect(!task.isCancelled)
      second.value?.resume()
      await task.value
    }
  }

  @Test("A task that outlives its simulation continues in the one around it, if that resumes it")
  func innerTask() async throws {
    try await simulate { simulation in
      let waiter = Note<UnsafeContinuation<Void, Never>?>(nil)
      let hasReturned = Note(false)
      try await simulate(atEnd: .cancels) { inner in
        Task {
          await withUnsafeContinuation { waiter.value = $0 }
          await switchPoint()
          hasReturned.value = true
        }
        await inner.settle()
      }
      waiter.value?.resume()
      await simulation.settle()
      #expect(hasReturned.value)
    }
  }

  @Test("A simulation fails if a real thread resumes an effect's operation on the main actor")
  func realThreadInEffect() async throws {
    try await failsEachTime([.escape]) { simulation in
      let waiter = Note<UnsafeContinuation<Void, Never>?>(nil)
      let store = simulation.store(Journal(), env: ())
      store.receive(
        .task { @MainActor in
          await withUnsafeContinuation { waiter.value = $0 }
          return .none
        })
      await simulation.settle()
      resumeElsewhere(waiter.value)
      await simulation.settle()
    }
  }

  @Test(
    "A simulation fails if a task sleeps on the system's clock, whether or not anyone waits for it",
    arguments: [false, true])
  func systemSleep(isAwaited: Bool) async throws {
    try await failsEachTime([.escape, .leak, .deadlock]) { _ in
      // The mistake to be reported; no test waits for it.
      let task = Task.detached { try await Task.sleep(for: .milliseconds(100)) }
      if isAwaited { try await task.value }
    }
  }

  /// The ways to sleep on the system's clock: each is a mistake that a simulation reports, and no test waits for it.
  enum SystemSleep: CaseIterable {
    case duration, nanoseconds, deadline, durationWithTolerance, deadlineWithTolerance, clock, clockWithTolerance

    func sleep() async throws {
      let (hour, tolerance) = (Duration.seconds(3_600), Duration.seconds(1))
      switch self {
      case .duration: try await Task.sleep(for: hour)
      case .nanoseconds: try await Task.sleep(nanoseconds: 3_600_000_000_000)
      case .deadline: try await Task.sleep(until: .now + hour, clock: .suspending)
      case .durationWithTolerance: try await Task.sleep(for: hour, tolerance: tolerance)
      case .deadlineWithTolerance: try await Task.sleep(until: .now + hour, tolerance: .zero, clock: .suspending)
      case .clock: try await ContinuousClock().sleep(for: hour)
      case .clockWithTolerance: try await SuspendingClock().sleep(until: .now + hour, tolerance: tolerance)
      }
    }
  }

  @Test("A simulation fails if a task sleeps on the system's clock, in whichever way", arguments: SystemSleep.allCases)
  func systemSleep(_ way: SystemSleep) async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate(atEnd: .cancels) { simulation in
        // The mistake to be reported; nothing waits for it.
        Task { try await way.sleep() }
        await simulation.settle()
      }
    }
    #expect(failure?.code == .escape)
  }

  @Test("A simulation fails if a store has the system's clock, where that would pass without a tick")
  func storeWithSystemClock() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let store = JournalStore(state: Journal(), env: ())
          store.receive(.timer(.seconds(1), id: "timer") { _ in .set { $0.count += 1 } })
          await simulation.clock.advance(by: .seconds(10))
          store.deactivate()
        }
      })
    #expect(failure.code == .escape)
    #expect(failure.description.contains("Something sleeps on the system's clock"))
    #if os(Linux)
      #expect(
        failure.description.contains("A store sleeps on it. It was made in AsyncStoreTestingTests.EscapeTests."))
    #endif
  }

  @Test("A simulation fails if a plain task has not returned at the end, and says so")
  func plainTaskInFlight() async throws {
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { _ in _ = Task { for await _ in AsyncStream<Never>(unfolding: { await forever() }) {} } }
      })
    #expect(failure.code == .leak)
    #expect(failure.description.contains("A task has not returned"))
    #if os(Linux)
      #expect(failure.description.contains("in AsyncStoreTestingTests.EscapeTests.plainTaskInFlight()"))
    #endif
    try await simulate(atEnd: .cancels) { _ in _ = Task { await forever() } }
  }

  /// The ways to make a task that never uses the default executor.
  enum Making: CaseIterable {
    case onActor, onGlobalActor, immediate, withExecutor

    func task(
      _ simulation: Simulation, _ operation: nonisolated(nonsending) @escaping @Sendable () async -> Void
    ) async {
      switch self {
      case .onActor: await Starter().start(operation)
      case .onGlobalActor: Task { @Own in await operation() }
      case .immediate: Task.immediate { await operation() }
      case .withExecutor: Task(executorPreference: simulation.executor) { await operation() }
      }
    }
  }

  @Test("A simulation fails if a task has not returned at the end, however it was made", arguments: Making.allCases)
  func taskInFlight(_ making: Making) async throws {
    try await failsEachTime([.leak]) { simulation in await making.task(simulation) { _ = await forever() } }
    try await inParallel {
      try await simulate(atEnd: .cancels) { simulation in await making.task(simulation) { _ = await forever() } }
    }
  }

  @Test("A simulation passes if all tasks have returned, however they were made", arguments: Making.allCases)
  func tasksThatReturn(_ making: Making) async throws {
    try await inParallel {
      try await simulate { simulation in
        for _ in 0..<4 {
          await making.task(simulation) {
            await switchPoint()
            await making.task(simulation) { try? await simulation.clock.sleep(for: .seconds(1)) }
          }
        }
        await simulation.clock.run()
      }
    }
  }

  @Test("A simulation passes if all plain tasks have returned, however they came to it")
  func plainTasksThatReturn() async throws {
    try await inParallel {
      try await simulate { simulation in
        let counter = Note(0)
        for number in 0..<20 {
          Task { counter.change { $0 += 1 } }
          Task.detached {
            try await simulation.clock.sleep(for: .milliseconds(number))
            counter.change { $0 += 1 }
          }
          Task { @MainActor in
            await switchPoint()
            counter.change { $0 += 1 }
          }
        }
        await simulation.clock.run()
        #expect(counter.value == 60)
      }
    }
  }

  private func failsEachTime(
    _ codes: Set<SimulationFailure.Code>, _ body: @escaping @Sendable (Simulation) async throws -> Void
  ) async throws {
    try await inParallel {
      let failure = await #expect(throws: SimulationFailure.self) { try await simulate(body) }
      if let failure { #expect(codes.contains(failure.code)) }
    }
  }

  /// A clock around another one, as programs have it to hide the type.
  private struct Wrapped: Clock {
    let base: TestClock
    var now: TestClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }
    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
      try await base.sleep(until: deadline)
    }
  }

  @Test("A store that sleeps on a clock around the simulation's is reported as a leak")
  func wrappedClock() async throws {
    let kept = Mutex<AsyncStore<Int, Void>?>(nil)
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: {
        try await simulate { simulation in
          let store = AsyncStore(
            state: 0, env: (), clock: Wrapped(base: simulation.clock), executor: simulation.executor)
          kept.withLock { $0 = store }
          store.receive(.sleep(.seconds(1)))
        }
      })
    #expect(failure.code == .leak)
    kept.withLock { $0?.deactivate() }
  }
}

private actor Beginner {
  func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> { Task { await operation() } }
}

private actor Starter {
  var count = 0

  /// Makes a task that begins and stays on this actor.
  func start(_ operation: nonisolated(nonsending) @escaping @Sendable () async -> Void) {
    Task {
      await operation()
      count += 1
    }
  }
}

@globalActor
private actor Own {
  static let shared = Own()
}

/// An actor that one test uses, within a simulation and outside of it.
@globalActor
private actor Shared {
  static let shared = Shared()

  @Shared static func run(_ body: @Sendable () -> Void) { body() }
}

/// An actor that another test uses, within a simulation and outside of it.
@globalActor
private actor LastTurn {
  static let shared = LastTurn()
}

/// Calls a closure when it is released.
private final class AtRelease: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}

/// Calls a closure on another thread, and returns after that.
private func doElsewhere(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    done.signal()
  }
  done.wait()
}

/// Resumes a continuation on another thread, and returns after that.
private func resumeElsewhere(_ continuation: UnsafeContinuation<Void, Never>?) {
  doElsewhere { continuation?.resume() }
}

private nonisolated(nonsending) func forever() async -> Never? {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  return nil
}

/// An executor that runs each job where it is enqueued, and so a new task in the middle of its making.
private final class Immediately: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
