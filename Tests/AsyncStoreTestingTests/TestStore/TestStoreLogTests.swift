import Testing

@testable import AsyncStoreTesting

@Suite("A test store's log")
struct TestStoreLogTests {
  @Test("takes linear time for commits and events, however many wait to be asserted", .timeLimit(.minutes(1)))
  func manyCommitsAndEvents() {
    // In quadratic time this would take minutes.
    let count = 200_000
    var content = TestStoreLog<Int>.Content(asserted: 0)
    for number in 1...count {
      content.append(.init(state: number, moment: .init()))
      content.append(RecordedEvent(kind: .ignored, record: nil, moment: .init(), description: "\(number)"))
    }
    let inOrder = (1...count).allSatisfy { content.assertCommit() == $0 && content.assert(.ignored, from: 0) == $0 - 1 }
    #expect(inOrder)
    #expect(content.unassertedCommits.isEmpty && content.unassertedEvents.isEmpty)
  }
}
