import Testing

@testable import AsyncStore

/// Tests of a cycle that has been found and continues in the background.
@Suite("Laws 17 and 19: cycles of bindings that do not settle")
struct UnsettledCycleLawTests {
  typealias Reports = BindingCycleLawTests.Reports
  let harness = Harness()

  /// Returns a store with a binding to itself each of whose values leads to two others, once the cycle is reported.
  private func doublingStore(
    _ isOnActor: Bool, _ reports: Reports, _ stop: Note<Bool>, _ mapped: Note<Int>
  ) -> JournalStore {
    let store = harness.store(isolation: isOnActor ? Desk() : nil, instrument: reports)
    store.bind(id: "b", to: store, on: \.count) { value in
      mapped.change { $0 += 1 }
      // A caller that is kept gets away after all, to fail.
      if stop.value || value == 0 || mapped.value > 300_000 { return .none }
      return .merge(.set { $0.count = max($0.count, value + 1) }, .set { $0.count = min($0.count + 1, 50) })
    }
    harness.settle()
    store.receive(.set(\.count, to: 50))
    var steps = 0
    while reports.lines.value == [], steps < 1_000, harness.runnableCount > 0 {
      harness.step()
      steps += 1
    }
    return store
  }

  @Test(
    "A cycle whose values double is reported, keeps no later caller, and leaves its actor to others",
    arguments: [false, true])
  func law17_doublingCycle(isOnActor: Bool) {
    let (reports, stop, mapped) = (Reports(), Note(false), Note(0))
    let store = doublingStore(isOnActor, reports, stop, mapped)
    for _ in 0..<5 {
      let before = mapped.value
      store.receive(.log("responsive"))
      #expect(mapped.value - before < 10_000)
      for _ in 0..<10 where harness.runnableCount > 0 { harness.step() }
    }
    #expect(reports.lines.value == ["unsettled b"])
    stop.value = true
    harness.settle()
    #expect(store.log.count == 5)
    store.deactivate()
    harness.settle()
    #expect(store.remains == [])
  }

  @Test("A shutdown ends a cycle whose values double, within its time", arguments: [false, true])
  func law19_shutdownOfADoublingCycle(isOnActor: Bool) throws {
    let (reports, mapped) = (Reports(), Note(0))
    let store = doublingStore(isOnActor, reports, Note(false), mapped)
    let before = mapped.value
    #expect(reports.lines.value == ["unsettled b"])
    #expect(before < 100_000 && store.remains != [], "the cycle continues")
    let cancelled = try harness.wait { try await store.shutdown(drain: .seconds(1), cleanup: .seconds(1)) }
    harness.settle()
    #expect(cancelled.isEmpty)
    #expect(mapped.value - before < 10_000)
    #expect(store.remains == [])
  }

  @Test("A cycle that never settles is reported after the events that led to it")
  func law17_reportComesAfterItsEvents() {
    func lines(ofRounds count: Int) -> [String] {
      let recorder = Recorder()
      let store = harness.store(instrument: recorder)
      store.bind(id: "b", to: \.count) { $0 < count ? .set(\.count, to: $0 + 1) : .none }
      harness.settle()
      return recorder.lines
    }
    // The fewest rounds that are reported: the last commit is the one whose delivery is.
    var (few, many) = (900, 1_200)
    while many - few > 1 {
      let middle = (few + many) / 2
      if lines(ofRounds: middle).contains("unsettled b") { many = middle } else { few = middle }
    }
    #expect(lines(ofRounds: many).suffix(2) == ["committed [b] set", "unsettled b"])
  }

  @Test("A cycle that ends after all loses nothing, and its report says that it continues", arguments: [1, 2])
  func law17_finiteCycle(count: Int) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [count] in
      let (one, two) = (JournalStore(state: Journal(), env: ()), JournalStore(state: Journal(), env: ()))
      if count == 2 { two.bind(id: "up", to: one, on: \.count) { .set(\.count, to: $0) } }
      one.bind(id: "down", to: count == 2 ? two : one, on: \.count) { count in
        count < 3_000 ? .concatenate(.log("\(count)"), .set(\.count, to: count + 1)) : .none
      }
      try await one.wait(for: \.count, toEqual: 3_000)
      #expect(one.log == (0..<3_000).map(String.init))
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let subject = count == 1 ? "binding down has triggered itself" : "bindings down, up have triggered each other"
    let verb = count == 1 ? "continues" : "continue"
    #expect(words.contains("AsyncStore: the \(subject) 1000 times, and \(verb) in the background. To end the cycle, "))
    #expect(words.contains("receive one effect per item instead of binding in a cycle."), "\(words)")
  }

  @Test("A cycle that never settles ends with its store")
  func law17_unsettledCycleEndsWithItsStore() {
    var store: JournalStore? = harness.store()
    weak let last = store
    store?.bind(id: "b", to: \.count) { .set(\.count, to: $0 &+ 1) }
    store = nil
    #expect(last == nil)
    harness.settle()
  }
}
