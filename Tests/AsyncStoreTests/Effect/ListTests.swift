import Testing

@testable import AsyncStore

@Suite("A list of effects")
struct ListTests {
  typealias Effect = JournalStore.Effect

  /// Lists of three sets, made in each of the ways that there are.
  private func lists(_ set: (Int) -> Effect) -> [Effect] {
    [
      .concatenate(set(1), set(2), set(3)), .concatenate(effects: (1...3).map(set)),
      .concatenate(effects: [set(1), set(2), .none, set(3)]), .concatenate(effects: AnySequence((1...3).map(set))),
      .sequence(set(1), set(2), set(3)), .merge(set(1), set(2), set(3)), .merge(effects: (1...3).map(set)),
    ]
  }

  @Test("A list of effects releases what its sets have captured, whether it was received or not")
  func releasesCaptures() {
    let census = Census()
    let store = JournalStore(state: Journal(), env: ())
    for index in lists({ _ in .none }).indices {
      for isReceived in [false, true] {
        do {
          let list = lists { _ in
            let canary = census.canary()
            return .set { $0.count += withExtendedLifetime(canary) { 1 } }
          }[index]
          #expect(census.alive >= 3)
          if isReceived { store.receive(list) }
        }
        #expect(census.alive == 0)
      }
    }
    #expect(store.count == 3 * lists { _ in .none }.count)
  }

  @Test("A list of effects releases what one of its sets has captured")
  func releasesOneCapture() {
    for place in 1...3 {
      let census = Census()
      for list in lists({ number in
        if number != place { return number == 2 ? .set(\.other, to: 2) : .set { $0.count += 1 } }
        let canary = census.canary()
        return .set { $0.count += withExtendedLifetime(canary) { 1 } }
      }) { #expect(list.children.isEmpty == false) }
      #expect(census.alive == 0)
    }
  }

  @Test("A list of effects does not change the array that it is made of")
  func leavesArray() {
    let census = Census()
    let store = JournalStore(state: Journal(), env: ())
    do {
      let canary = census.canary()
      let effects: [Effect] = [
        .set { $0.count += withExtendedLifetime(canary) { 1 } }, .log("a"), .set(\.other, to: 7), .log("b"),
      ]
      let mixed = effects + [.none, .sleep(.seconds(100)), .log("c")]
      for _ in 0..<3 {
        store.receive(.concatenate(effects: effects))
        store.receive(.merge(effects: effects))
        store.receive(.merge(effects: mixed, limit: 1)).cancel()
      }
      #expect(effects.map(\.summary.kind) == [.set, .set, .set, .set])
      #expect(mixed.map(\.summary.kind) == [.set, .set, .set, .set, .none, .sleep, .set])
    }
    #expect(store.count == 9)
    #expect(store.other == 7)
    #expect(store.log == Array(repeating: ["a", "b"], count: 9).flatMap { $0 })
    #expect(census.alive == 0)
  }

  @Test("A list of effects keeps the order and the places of its members")
  func keepsOrder() {
    let effects: [Effect] = [
      .none, .log("a"), .sleep(.seconds(1)), .log("b"), .none, .set(\.count, to: 3), .task { .none }, .log("c"), .none,
    ]
    let kinds: [EffectKind] = [.set, .sleep, .set, .set, .task, .set]
    for list in [Effect.concatenate(effects: effects), .merge(effects: effects)] {
      #expect(list.children.map(\.summary.kind) == kinds)
      #expect(list.children.map(\.summary) == effects.filter { !$0.isNone }.map(\.summary))
    }
    let harness = Harness()
    let store = harness.store()
    store.receive(.concatenate(effects: effects))
    harness.settle()
    #expect(store.log == ["a"])
    harness.advance(by: .seconds(1))
    #expect(store.log == ["a", "b", "c"])
    #expect(store.count == 3)
    #expect(store.remains == [])
  }
}
