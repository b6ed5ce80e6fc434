import AsyncStoreTesting
import Testing

/// Apart from the other tests of ends, which run under the thread sanitizer too: to cancel nested tasks Swift holds a
/// lock of each of them, and the sanitizer takes no more than 128 at a time.
@Suite("The end of a simulation with very many levels")
struct DeepSimulationEndTests {
  @Test("The end of a simulation ends all children of children, however many levels there are")
  func manyLevels() async throws {
    let (count, ended) = (4_000, Note(0))
    try await simulate(atEnd: .cancels) { simulation in
      Task { await nest(count) { ended.change { $0 += 1 } } }
      await simulation.settle()
    }
    #expect(ended.value == count)
  }

  /// Runs tasks within each other, of which the innermost waits for its cancellation.
  private func nest(_ levels: Int, _ body: @escaping @Sendable () -> Void) async {
    await withTaskGroup { group in
      group.addTask {
        if levels > 1 { await nest(levels - 1, body) } else { _ = await untilCancelled() }
        body()
      }
    }
  }
}
