import AsyncStore
import Foundation
import Testing

@testable import AsyncStoreTesting

/// Of `Int.max` seeds nobody lives to see the last.
@Suite("An exploration of more seeds than can be tried")
struct ExplorationEndTests {
  @Test("reports what it has found")
  func find() async throws {
    var explorer = Explorer(exploration: .seeds(.max))
    // Time passes with each look at it.
    let start = ContinuousClock.now
    let looks = Note(0)
    explorer.now = {
      looks.change { $0 += 1 }
      return start + .milliseconds(50) * looks.value
    }
    let exploring = explorer
    let failure = try await #require(
      throws: SimulationFailure.self,
      performing: { try await exploring.explore { run in run { _ in throw Failure("always") } } })
    #expect(failure.description.contains("Schedule number 1 fails."))
  }

  @Test("ends when its task is cancelled")
  func cancelled() async throws {
    let task = Task {
      try await explore(.seeds(.max)) { simulation in
        if simulation.seed == 10 { endTest.value?.cancel() }
      }
    }
    endTest.value = task
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// The exploration that cancels itself.
private let endTest = Note<Task<ExplorationReport, any Error>?>(nil)
