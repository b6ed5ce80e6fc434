import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Simulations in parallel")
struct ParallelSimulationTests {
  @Test("share an actor, and none of them deadlocks")
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
    #expect(await shared.count == 1_000 * 24)
  }

  @MainActor private static var visitors = 0

  @Test("exclude each other on the main actor")
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

  @Test("run within each other")
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

  func add() async {
    await switchPoint()
    count += 1
  }
}
