import AsyncStore
import AsyncStoreTesting
import Foundation
import Testing

@Suite("A plain task in a simulation")
struct PlainTaskTests {
  @Test("A plain task stays in its simulation when it yields on an actor", .timeLimit(.minutes(10)))
  func yieldOnActor() async throws {
    try await repeatedly { _ in
      let counter = Counter()
      await Task { for _ in 0..<10 { await counter.increment() } }.value
      #expect(await counter.count == 10)
    }
  }

  @Test(
    "A plain task stays in its simulation when it yields on an actor, coming from the main actor",
    .timeLimit(.minutes(10)))
  func yieldFromMainActor() async throws {
    try await repeatedly { _ in
      let counter = Counter()
      await Task { @MainActor in for _ in 0..<10 { await counter.increment() } }.value
      #expect(await counter.count == 10)
    }
  }

  @Test("A plain task stays in its simulation when it starts at once, and yields")
  func immediateTask() async throws {
    try await repeatedly { _ in
      let counter = Counter()
      await Task.immediate { for _ in 0..<10 { await counter.increment() } }.value
      // In a simulation a yield takes no time: the schedule decides who goes next.
      await Task.immediate { for _ in 0..<10 { await Task.yield() } }.value
      #expect(await counter.count == 10)
    }
  }

  @Test("A plain task does the same each time in a simulation, and elsewhere nothing changes")
  func determinism() async throws {
    let schedules = Note<Set<String>>([])
    try await repeatedly(seed: 3) { simulation in
      let counter = Counter()
      await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await Task.detached { await counter.increment() }.value } }
      }
      schedules.change { $0.insert(simulation.schedule.description) }
    }
    #expect(schedules.value.count == 1)
    // Made on threads that have just driven simulations.
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 0..<64 { group.addTask { await Task.detached { await counter.increment() }.value } }
    }
    #expect(await counter.count == 64)
  }

  private func repeatedly(
    seed: UInt64? = nil, _ body: @escaping @Sendable (Simulation) async throws -> Void
  ) async throws {
    try await inParallel { try await simulate(seed: seed, body) }
  }
}

private actor Counter {
  var count = 0

  func increment() async {
    await Task.yield()
    count += 1
  }
}
