import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("The tasks that a simulation has made")
struct MadeTasksTests {
  @Test("The tasks of a simulation are those that it has made, and none that were made in between")
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

  @Test("A task's ancestors are asked for once, however often the task is looked for")
  func ancestors() {
    var made = MadeTasks()
    made.insert(1)
    var visited = 0
    func contains(_ number: UInt64) -> Bool {
      made.contains(
        number,
        below: sequence(state: number) { number in
          visited += 1
          number -= 1
          return number == 0 ? nil : number
        })
    }
    #expect(contains(1_000) && visited == 999)
    #expect((0..<100).allSatisfy { _ in contains(1_000) } && visited == 999)
    // The child of one that is known.
    #expect(contains(1_001) && visited == 1_000)
    var none = MadeTasks()
    none.insert(7)
    #expect(!none.contains(5, below: [4, 3]) && !none.contains(5))
  }

  @Test("A simulation may nest very many tasks")
  func levels() async throws {
    let count = Note(0)
    try await simulate(limits: SimulationLimits(jobs: .max)) { _ in
      await Task { await nest(2_000) { for _ in 0..<2_000 { await switchPoint() } } }.value
      count.change { $0 += 1 }
    }
    #expect(count.value == 1)
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
