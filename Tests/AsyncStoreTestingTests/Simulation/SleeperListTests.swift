import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("The sleepers of a simulation")
struct SleeperListTests {
  /// Sleepers of which several wake at each moment.
  private func sleepers(_ count: Int, _ list: inout SleeperList) -> [SleeperList.Sleeper] {
    (0..<count).map { number in
      let wake = TestClock.Instant(offset: .seconds(number / 3))
      let sleeper = SleeperList.Sleeper(
        id: list.nextID(), deadline: wake, wake: wake, kind: .task, waker: .action {})
      list.insert(sleeper)
      return sleeper
    }
  }

  @Test("Sleepers are removed in linear time, in whichever order", .timeLimit(.minutes(10)))
  func manyRemovals() {
    // In quadratic time this would take longer than the limit.
    let count = TestSize.many(500_000)
    var list = SleeperList()
    var generator = SplitMix64(seed: 1)
    let areRemoved = sleepers(count, &list).shuffled(using: &generator).allSatisfy { sleeper in
      list.remove(sleeper.id)?.id == sleeper.id
    }
    #expect(areRemoved && list.all.isEmpty && list.earliestWake == nil)
  }

  @Test("Sleepers are removed by their numbers, even if one with a lower number has come later")
  func numbersThatFall() {
    var list = SleeperList()
    let wake = TestClock.Instant(offset: .seconds(1))
    for id in [2, 3, 1] as [UInt64] {
      list.insert(SleeperList.Sleeper(id: id, deadline: wake, wake: wake, kind: .task, waker: .action {}))
    }
    #expect([1, 3, 2].map { list.remove($0)?.id } == [1, 3, 2])
    #expect(list.all.isEmpty)
  }

  @Test("A deadline of two sleepers is listed once, even if they wake at different times")
  func equalDeadlines() {
    var list = SleeperList()
    let deadline = TestClock.Instant(offset: .seconds(1))
    for number in 1...2 {
      let wake = TestClock.Instant(offset: .seconds(number))
      list.insert(
        SleeperList.Sleeper(id: list.nextID(), deadline: deadline, wake: wake, kind: .task, waker: .action {}))
    }
    let range = TestClock.Instant()...TestClock.Instant(offset: .seconds(9))
    #expect(list.deadlines(in: range, first: 9) == [deadline])
  }

  @Test("The sleepers that were not removed stay in order, and tell their deadlines")
  func remaining() {
    var generator = SplitMix64(seed: 2)
    for _ in 0..<50 {
      var list = SleeperList()
      var expected = sleepers(300, &list)
      while !expected.isEmpty {
        if generator.next() % 4 == 0 {
          let first = expected.removeFirst()
          #expect(list.earliestWake == first.wake)
          #expect(list.removeFirst(wakingBy: first.wake) != nil)
        } else {
          let removed = expected.remove(at: Int(generator.next() % UInt64(expected.count)))
          #expect(list.remove(removed.id)?.id == removed.id)
          #expect(list.remove(removed.id) == nil)
        }
        guard generator.next() % 16 == 0 else { continue }
        #expect(list.all.map(\.id) == expected.map(\.id))
        #expect(list.earliestWake == expected.first?.wake)
        let range = TestClock.Instant(offset: .seconds(20))...TestClock.Instant(offset: .seconds(60))
        let deadlines = Set(expected.map(\.deadline)).filter { range.contains($0) }.sorted()
        #expect(list.deadlines(in: range, first: 5) == Array(deadlines.prefix(5)))
      }
    }
  }
}
