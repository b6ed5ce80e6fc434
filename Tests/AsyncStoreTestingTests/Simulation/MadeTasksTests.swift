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
    var outer = MadeTasks()
    outer.insert(3)
    outer.insert(made)
    #expect((0...(number + 2)).allSatisfy { outer.contains($0) == (expected.contains($0) || $0 == 3) })
  }
}
