import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Simulations in parallel")
struct ParallelSimulationTests {
  @Test("Parallel simulations share an actor, and none of them deadlocks")
  func sharedActor() async throws {
    let shared = Shared()
    try await inParallel {
      try await simulate(seed: 1) { _ in
        await withTaskGroup { group in
          for _ in 0..<4 {
            group.addTask { for _ in 0..<5 { await shared.add() } }
            group.addTask { await Task { await shared.add() }.value }
          }
        }
      }
    }
    #expect(await shared.count == repetitions * 24)
  }

  @Test("A simulation that ends in the middle of its work on a shared actor lets the others continue")
  func sharedActorAtEnd() async throws {
    let shared = Shared()
    for _ in 0..<20 {
      let failure = await #expect(throws: SimulationFailure.self) {
        try await simulate(seed: 1, limits: SimulationLimits(jobs: 200)) { _ in
          await withTaskGroup { group in
            for _ in 0..<20 {
              group.addTask { while true { await shared.add() } }
              group.addTask { await Task { while true { await shared.add() } }.value }
            }
          }
        }
      }
      #expect(failure?.code == .runaway)
      try await simulate(seed: 2) { _ in
        await shared.add()
        await Task { await shared.add() }.value
      }
    }
  }

  @Test("A simulation resumes on a shared actor what another one has left behind")
  func leftOnSharedActor() async throws {
    let shared = Shared()
    try await inParallel {
      let waiter = Note<UnsafeContinuation<Void, Never>?>(nil)
      let failure = await #expect(throws: SimulationFailure.self) {
        try await simulate { _ in await shared.wait { waiter.value = $0 } }
      }
      #expect(failure?.code == .deadlock)
      try await simulate { _ in
        waiter.value?.resume()
        for _ in 0..<3 { await shared.add() }
      }
    }
    #expect(await shared.count == repetitions * 3)
  }

  @Test("A task may enter a shared actor after its simulation has ended, and the others continue")
  func sharedActorAfterEnd() async throws {
    let (shared, executor) = (Shared(), HeldExecutor())
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate { _ in await Elsewhere(executor).visit(shared) }
    }
    #expect(failure?.code == .deadlock)
    try await simulate { _ in
      // The task, which has the ended simulation's executor, continues on the shared actor.
      executor.runAll()
      await shared.addAtOnce()
    }
    #expect(await shared.count == 2)
  }

  @Test("Explorations outside of every test run beside each other")
  func explorationsOutsideOfTests() async throws {
    // A detached task knows no test: its explorations listen to XCTest, whose list of observers is made for one thread.
    try await inParallel {
      try await Task.detached {
        for _ in 0..<30 { try await explore(.seeds(1)) { _ in } }
      }.value
    }
  }

  @MainActor private static var visitors = 0

  @Test("Parallel simulations exclude each other on the main actor")
  func mainActor() async throws {
    let failures = Note(0)
    try await inParallel {
      try await simulate { _ in
        for _ in 0..<4 {
          await MainActor.run {
            Self.visitors += 1
            for _ in 0..<1_000 where Self.visitors != 1 { failures.change { $0 += 1 } }
            Self.visitors -= 1
          }
          await switchPoint()
        }
      }
    }
    #expect(failures.value == 0)
  }

  @Test("Simulations run within each other")
  func nested() async throws {
    let count = try await simulate { _ in
      try await simulate(seed: 2) { simulation in
        try await simulation.clock.sleep(for: .seconds(1))
        return await Task { await Task.detached { 7 }.value }.value
      }
    }
    #expect(count == 7)
  }
}

private actor Shared {
  var count = 0

  func addAtOnce() { count += 1 }

  func add() async {
    await switchPoint()
    count += 1
  }

  func wait(_ body: @Sendable (UnsafeContinuation<Void, Never>) -> Void) async { await withUnsafeContinuation(body) }
}

/// An actor with an executor of its own, outside of every simulation.
private actor Elsewhere {
  private let executor: HeldExecutor
  private var visits = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: HeldExecutor) { self.executor = executor }

  func visit(_ shared: Shared) async {
    // The task changes the actor's own state, because otherwise it would not come here.
    visits += 1
    await shared.addAtOnce()
  }
}

/// Keeps jobs until the test runs them.
private final class HeldExecutor: SerialExecutor {
  private let jobs = Note<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change { $0.append(job) }
  }

  func runAll() {
    let held = jobs.value
    jobs.value = []
    for job in held { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
