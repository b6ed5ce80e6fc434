import AsyncStore
import Testing

@testable import AsyncStoreTesting

@Suite("A test store's log")
struct TestStoreLogTests {
  @Test(
    "A test store's log takes linear time for commits and events, however many wait to be asserted",
    .timeLimit(.minutes(10)))
  func manyCommitsAndEvents() {
    // In quadratic time this would take longer than the limit.
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

  /// Keeps the record of each effect that begins.
  private struct Recorder: StoreInstrument {
    let records = Note<[EffectRecord]>([])

    func record(_ event: InstrumentEvent) {
      if case .begun = event.kind, let record = event.effect { records.change { $0.append(record) } }
    }
  }

  /// Returns a log in which the effects of two identifiers have begun, in an order.
  private func log(_ order: [Int]) async throws -> TestStoreLog<Int>.Content {
    let recorder = Recorder()
    try await simulate { simulation in
      let store = simulation.store(0, env: (), instrument: recorder)
      for id in ["a", "b"] { await store.run(.sleep(.seconds(1)).id(id)) }
    }
    let records = recorder.records.value
    var content = TestStoreLog<Int>.Content(asserted: 0)
    for index in order {
      content.append(RecordedEvent(kind: .begun, record: records[index], moment: .init(), description: "begun"))
    }
    return content
  }

  @Test(
    "A test store's log asserts by identifiers in linear time, one after the other or in pairs",
    .timeLimit(.minutes(10)))
  func identifiers() async throws {
    // In quadratic time this would take longer than the limit.
    let count = TestSize.many(100_000)
    var alternating = try await log((0..<2 * count).map { $0 % 2 })
    for (index, id) in (["a", "b"] as [EffectPattern]).enumerated() {
      let inOrder = (0..<count).allSatisfy { alternating.assert(.begun(id), from: 0) == 2 * $0 + index }
      #expect(inOrder)
    }
    #expect(alternating.unassertedEvents.isEmpty)
    var apart = try await log((0..<2 * count).map { $0 / count })
    let inPairs = (0..<count).allSatisfy { number in
      apart.assert(.begun("a"), from: 0) == number && apart.assert(.begun("b"), from: number + 1) == count + number
    }
    #expect(inPairs)
    #expect(apart.unassertedEvents.isEmpty)
  }

  @Test("A test store's log finds the first event from a place on, whatever was asserted and looked for before")
  func anyOrder() async throws {
    var generator = SplitMix64(seed: 3)
    let patterns: [EffectPattern] = ["a", .id("b"), .any, .kind(.sleep), .label("a")]
    for _ in 0..<50 {
      let order = (0..<60).map { _ in Int(generator.next() % 2) }
      var content = try await log(order)
      var open = Set(order.indices)
      for _ in 0..<80 {
        let (kind, first) = (Int(generator.next() % 5), Int(generator.next() % 60))
        let places = open.sorted().filter { $0 >= first && [order[$0] == 0, order[$0] == 1, true, true, false][kind] }
        if generator.next() % 3 == 0 {
          #expect((content.unasserted(.begun(patterns[kind]), from: first) != nil) == !places.isEmpty)
        } else {
          #expect(content.assert(.begun(patterns[kind]), from: first) == places.first)
          if let place = places.first { open.remove(place) }
        }
      }
      #expect(content.unassertedEvents.count == open.count)
    }
  }
}
