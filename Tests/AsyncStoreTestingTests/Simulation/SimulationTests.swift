import AsyncStore
import AsyncStoreTesting
import Foundation
import Testing

@Suite("A simulation")
struct SimulationTests {
  @Test("A simulation returns what its body returns, and throws what it throws")
  func resultIsPassedOn() async throws {
    #expect(try await simulate { _ in 3 } == 3)
    await #expect(throws: Failure("no")) { try await simulate { _ in throw Failure("no") } }
  }

  @Test("A simulation lets time pass by itself when its body waits")
  func timeIsAutomatic() async throws {
    try await simulate { simulation in
      let store = simulation.store(Journal(), env: ())
      await store.run(.concatenate(.sleep(.seconds(86_400)), .log("a")))
      #expect(store.log == ["a"])
      #expect(simulation.clock.now.offset == .seconds(86_400))
    }
  }

  @Test("A store that is made between two nanoseconds sleeps no less than another")
  func law13_storeMadeBetweenNanoseconds() async throws {
    try await simulate { simulation in
      let half = Duration(secondsComponent: 0, attosecondsComponent: 500_000_000)
      await simulation.clock.advance(by: half)
      let store = simulation.store(Journal(), env: ())
      store.receive(.concatenate(.sleep(.nanoseconds(5)), .log("done")))
      await simulation.clock.advance(by: .nanoseconds(5) - half)
      #expect(store.log == [])
      await simulation.clock.advance(by: half)
      #expect(store.log == ["done"])
    }
  }

  @Test("A simulation keeps tasks of every making on one thread")
  func tasksStay() async throws {
    try await simulate(seed: 1) { simulation in
      let log = Note<[String]>()
      let thread = Note(0 as UInt)
      thread.value = currentThread()
      @Sendable func note(_ name: String) {
        #expect(currentThread() == thread.value, "\(name) has left the simulation's thread")
        log.add(name)
      }
      let plain = Task { note("task") }
      let detached = Task.detached { note("detached") }
      let immediate = Task.immediate {
        await plain.value
        note("immediate")
      }
      async let child: Void = { note("child") }()
      await withTaskGroup { group in
        group.addTask { note("group") }
      }
      let counter = Counter()
      await counter.run { note("actor") }
      await Task { @MainActor in
        note("main actor")
        MainActor.assertIsolated()
        await switchPoint()
        note("main actor")
      }.value
      await MainActor.run { note("main actor") }
      let stream = AsyncStream<Int> { continuation in
        Task {
          continuation.yield(1)
          await switchPoint()
          continuation.finish()
        }
      }
      for await _ in stream { note("stream") }
      await concurrent { note("concurrent") }
      _ = await (plain.value, detached.value, immediate.value, child)
      #expect(log.value.count == 11)
    }
  }

  @Test("A simulation runs a store that belongs to the main actor")
  func mainActorStore() async throws {
    try await simulate { simulation in
      let store = simulation.store(Journal(), env: (), isolation: MainActor.shared)
      store.receive(.log("from elsewhere"))
      #expect(store.log == [])
      await simulation.settle()
      #expect(store.log == ["from elsewhere"])
      await Task { @MainActor in
        store.receive(.log("from there"))
        #expect(store.log.count == 2)
      }.value
    }
  }

  @Test("A simulation is the current one in its tasks")
  func currentIsTaskLocal() async throws {
    #expect(Simulation.current == nil)
    try await simulate { simulation in
      #expect(Simulation.current === simulation)
      await Task { #expect(Simulation.current === simulation) }.value
    }
    #expect(Simulation.current == nil)
  }

  @Test("A simulation may run inside of another one")
  func nesting() async throws {
    try await simulate { outer in
      await outer.clock.advance(by: .seconds(1))
      try await simulate { inner in
        #expect(Simulation.current === inner)
        await inner.clock.advance(by: .seconds(5))
      }
      #expect(outer.clock.now.offset == .seconds(1))
      await Task { #expect(Simulation.current === outer) }.value
    }
  }

  @Test("A simulation leaves tasks outside of it alone")
  func outsideIsFree() async throws {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    let reader = Task.detached { await numbers.reduce(0, +) }
    let writer = Task.detached {
      #expect(Simulation.current == nil)
      for number in 1...100 { continuation.yield(number) }
      continuation.finish()
    }
    try await simulate { simulation in await simulation.clock.advance(by: .seconds(1)) }
    await writer.value
    #expect(await reader.value == 5_050)
    await MainActor.run { MainActor.assertIsolated() }
  }

  // MARK: Determinism

  @Test("A simulation gives the same order for the same seed, a thousand times out of a thousand")
  func seedDecides() async throws {
    var traces: Set<[String]> = []
    for _ in 0..<TestSize.many(1_000) { traces.insert(try await trace(seed: 11)) }
    #expect(traces.count == 1)
  }

  @Test("A simulation gives different orders for different seeds, and the order of becoming runnable without one")
  func seedsDiffer() async throws {
    var traces: Set<[String]> = []
    for seed in 0..<100 as Range<UInt64> { traces.insert(try await trace(seed: seed)) }
    #expect(traces.count > 50)
    #expect(try await trace(seed: nil).prefix(4) == ["0.0", "1.0", "2.0", "3.0"])
  }

  @Test("A simulation gives the same identifiers for the same seed, and a date that passes with its time")
  func identifiersAndDates() async throws {
    let draw: @Sendable (UInt64) async throws -> [UUID] = { seed in
      try await simulate(seed: seed) { simulation in [simulation.random.uuid(), simulation.random.uuid()] }
    }
    let identifiers = try await draw(4)
    #expect(try await draw(4) == identifiers)
    #expect(Set(try await draw(5) + identifiers).count == 4)
    #expect(identifiers[0].uuidString.dropFirst(14).first == "4", "the version")
    try await simulate { simulation in
      let start = simulation.clock.date
      await simulation.clock.advance(by: .seconds(90))
      #expect(simulation.clock.date == start.addingTimeInterval(90))
    }
  }

  @Test(
    "A simulation draws durations within their range, however wide that is",
    arguments: [
      .zero ... .zero, .nanoseconds(1) ... .nanoseconds(3), .milliseconds(1) ... .microseconds(2_500),
      .seconds(Int64.min) ... .seconds(Int64.max),
      Duration(attoseconds: .min)...Duration(attoseconds: .max),
    ])
  func durations(range: ClosedRange<Duration>) async throws {
    try await simulate(seed: 1) { simulation in
      for _ in 0..<100 { #expect(range.contains(simulation.random.next(in: range))) }
    }
  }

  @Test("A simulation gives one trace on sixty-four threads at once")
  func parallelRunsAgree() async throws {
    let traces = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<64 { group.addTask { try await trace(seed: 5) } }
      return try await group.reduce(into: Set<[String]>()) { $0.insert($1) }
    }
    #expect(traces.count == 1)
  }

  private func trace(seed: UInt64?) async throws -> [String] {
    try await simulate(seed: seed) { simulation in
      let store = simulation.store(Journal(), env: ())
      let service = Counter()
      let random = simulation.random
      await store.run(
        .merge(
          effects: (0..<10).map { job in
            .concatenate(
              .logTask("\(job).0"),
              .task {
                await service.run {}
                await Task.detached { await switchPoint() }.value
                return .sleep(random.next(in: .zero ... .milliseconds(20)))
              },
              .logTask("\(job).1"))
          }))
      return store.log
    }
  }
}

/// A number that is different on each thread.
private func currentThread() -> UInt { UInt(pthread_self()) }

private actor Counter {
  func run(_ body: @Sendable () -> Void) async {
    await switchPoint()
    body()
  }
}

@concurrent private func concurrent(_ body: @Sendable () -> Void) async {
  await switchPoint()
  body()
}
