import Testing

@testable import AsyncStoreTesting

@Suite("The report of tasks that wait for each other")
struct TaskWaitsTests {
  @Test(
    "The report of a cycle of many tasks, and of as many that wait for it, takes linear time", .timeLimit(.minutes(10)))
  func manyTasks() {
    // In quadratic time this would take longer than the limit.
    let count = UInt64(TestSize.many(400_000))
    var edges = Dictionary(uniqueKeysWithValues: (1...count).map { ($0, $0 % count + 1) })
    for task in 1...count { edges[count + task] = task }
    let lines = TaskWaits(edges: edges).lines
    #expect(lines.count == Int(count) + 1)
    #expect(lines.first?.hasPrefix("In a cycle: ") == true)
  }
}
