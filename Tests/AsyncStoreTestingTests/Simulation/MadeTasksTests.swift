import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("The tasks that a simulation has made")
struct MadeTasksTests {
  @Test("are those, and none that were made in between")
  func numbers() {
    var generator = SplitMix64(seed: 1)
    var (made, expected) = (MadeTasks(), Set<UInt64>())
    var number: UInt64 = 7
    for _ in 0..<200 {
      number += generator.next() % 3
      made.insert(number)
      expected.insert(number)
    }
    #expect((0...(number + 2)).allSatisfy { made.contains($0) == expected.contains($0) })
    var shuffled = MadeTasks()
    for number in expected.shuffled(using: &generator) { shuffled.insert(number) }
    #expect((0...(number + 2)).allSatisfy { shuffled.contains($0) == expected.contains($0) })
    var outer = MadeTasks()
    outer.insert(3)
    outer.insert(made)
    #expect((0...(number + 2)).allSatisfy { outer.contains($0) == (expected.contains($0) || $0 == 3) })
  }

  @Test("are found in constant time below many others", .timeLimit(.minutes(1)))
  func levels() async throws {
    // This would take minutes if each turn of the innermost task asked all tasks around it.
    let (levels, turns) = (20_000, 100_000)
    try await simulate(limits: SimulationLimits(jobs: .max)) { _ in
      await Task { await nest(levels) { for _ in 0..<turns { await Task.yield() } } }.value
    }
  }

  /// Runs `body` in tasks within each other; the simulation sees the making of every second one.
  private func nest(_ levels: Int, _ body: @escaping @Sendable () async -> Void) async {
    if levels == 0 { return await body() }
    if levels % 2 == 0 {
      async let child: Void = nest(levels - 1, body)
      await child
    } else {
      await withTaskGroup { $0.addTask { await nest(levels - 1, body) } }
    }
  }
}
