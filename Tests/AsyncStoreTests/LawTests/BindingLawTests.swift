import Testing

@testable import AsyncStore

@Suite("Laws 16 to 18 and 22: bindings")
struct BindingLawTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  // MARK: Law 16

  @Test("A new binding gets the current value first, then every distinct consecutive value in commit order")
  func law16_currentValueFirstThenEveryDistinctOne() {
    let (store, down) = (harness.store(Journal(count: 3)), harness.store())
    down.bind(id: "b", to: store, on: \.count) { .log($0) }
    #expect(down.log == ["3"])
    for value in [3, 4, 4, 4, 5, 4, 4] { store.receive(.set(\.count, to: value)) }
    store.receive(.log("something else"))
    #expect(down.log == ["3", "4", "5", "4"])
  }

  @Test("No value is lost and none comes twice, also of the commits of one receive and of tasks")
  func law16_noneLostNoneTwice() {
    let (store, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: store, on: \.count) { .log($0) }
    let increment = Effect.set { $0.count += 1 }
    store.receive(.concatenate(increment, increment, .sleep(.seconds(1)), increment))
    store.receive(.merge(effects: (0..<100).map { _ in .task { increment } }))
    store.receive(.timer(.seconds(1), id: "t") { _ in increment })
    harness.advance(by: .seconds(2))
    #expect(store.count == 105)
    #expect(down.log == (0...105).map(\.description))
  }

  @Test("A binding that commits to its own upstream while it is called misses nothing")
  func law16_reentrantCommits() {
    let (store, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: store, on: \.count) { value in
      if value < 5 { store.receive(.set { $0.count += 1 }) }
      return .log(value)
    }
    #expect(down.log == ["0", "1", "2", "3", "4", "5"])
  }

  @Test("All observers are told of a change before any is told of the next, even if the first of them makes it")
  func law16_reentrantCommitsToldInOrder() {
    let (store, log) = (harness.store(), harness.store())
    let downs = (0..<3).map { _ in harness.store() }
    for (index, down) in downs.enumerated() {
      down.bind(id: "b", to: store, on: \.count) { value in
        log.receive(.log("\(index): \(value)"))
        if index == 0, value == 1 {
          store.receive(.set(\.count, to: 2))
          store.receive(.concatenate(.set(\.count, to: 3), .set(\.count, to: 4)))
        }
        return .none
      }
    }
    store.receive(.set(\.count, to: 1))
    #expect(log.log == (0...4).flatMap { value in (0..<3).map { "\($0): \(value)" } })
    store.receive(.set(\.count, to: 5))
    #expect(log.log.suffix(3) == ["0: 5", "1: 5", "2: 5"])
    #expect(downs.allSatisfy { $0.count == 0 })
  }

  @Test("A binding that is told ends itself and the next one with all that they hold, and adds another")
  func law18_bindingsEndWhileToldAtOnce() {
    let store = harness.store()
    let (one, two, three) = (harness.store(), harness.store(), harness.store())
    let census = Census()
    one.bind(id: "b", to: store, on: \.count) { [canary = census.canary()] value in
      guard value == 1 else { return .none }
      two.receive(.cancel("b"))
      one.receive(.cancel("b"))
      three.bind(id: "b", to: store, on: \.count) { .log($0) }
      return withExtendedLifetime(canary) { .log("not any more") }
    }
    two.bind(id: "b", to: store, on: \.count) { [canary = census.canary()] value in
      withExtendedLifetime(canary) { .log(value) }
    }
    store.receive(.set(\.count, to: 1))
    #expect((one.log, two.log, three.log) == ([], ["0"], ["1"]))
    #expect(census.alive == 0)
    store.receive(.set(\.count, to: 2))
    #expect(three.log == ["1", "2"])
  }

  @Test("A binding made while another one is told gets the current value, and then each that follows")
  func law16_bindingMadeDuringDelivery() {
    let (store, one, two) = (harness.store(), harness.store(), harness.store())
    one.bind(id: "b", to: store, on: \.count) { value in
      if value == 2 { two.bind(id: "b", to: store, on: \.count) { .log($0) } }
      return .none
    }
    for value in 1...4 { store.receive(.set(\.count, to: value)) }
    #expect(two.log == ["2", "3", "4"])
  }

  @Test("A binding that is cancelled while another one is told of a change is not told of it any more")
  func law16_cancelDuringDelivery() {
    let (store, one, two) = (harness.store(), harness.store(), harness.store())
    one.bind(id: "b", to: store, on: \.count) { value in
      if value == 1 { two.receive(.cancel("b")) }
      return .none
    }
    two.bind(id: "b", to: store, on: \.count) { .log($0) }
    store.receive(.set(\.count, to: 1))
    #expect(two.log == ["0"])
  }

  @Test("Many bindings are each told of each commit of one receive, in order")
  func law16_manyBindingsManyCommits() {
    let store = harness.store()
    let downs = (0..<100).map { _ in harness.store() }
    for down in downs { down.bind(id: "b", to: store, on: \.count) { .log($0) } }
    store.receive(.concatenate(effects: (1...5).map { .set(\.count, to: $0) }))
    for down in downs { #expect(down.log == ["0", "1", "2", "3", "4", "5"]) }
  }

  @Test("Several bindings of one store are each told everything")
  func law16_severalBindings() {
    let store = harness.store()
    let downs = (0..<50).map { _ in harness.store() }
    for down in downs { down.bind(id: "b", to: store, on: \.count) { .log($0) } }
    for value in 1...10 { store.receive(.set(\.count, to: value)) }
    for (index, down) in downs.enumerated() where index.isMultiple(of: 2) { down.receive(.cancel("b")) }
    store.receive(.set(\.count, to: 11))
    for (index, down) in downs.enumerated() {
      #expect(down.log == (0...(index.isMultiple(of: 2) ? 10 : 11)).map(\.description))
    }
  }

  @Test("A binding to the store's own property")
  func law16_ownProperty() {
    let store = harness.store()
    store.bind(id: "b", to: \.count) { .log($0) }
    store.receive(.set(\.count, to: 1))
    #expect(store.log == ["0", "1"])
    store.receive(.cancel("b"))
    store.receive(.set(\.count, to: 2))
    #expect(store.log == ["0", "1"])
    #expect(store.remains == [])
  }

  // MARK: Law 17

  @Test("At rest, downstream is the map of upstream, through a diamond too")
  func law17_downstreamIsTheMapOfUpstream() {
    let (top, left, right, bottom) = (harness.store(), harness.store(), harness.store(), harness.store())
    left.bind(id: "b", to: top, on: \.count) { .set(\.count, to: $0 * 2) }
    right.bind(id: "b", to: top, on: \.count) { .set(\.count, to: $0 * 3) }
    bottom.bind(id: "left", to: left, on: \.count) { .set(\.count, to: $0) }
    bottom.bind(id: "right", to: right, on: \.count) { .set(\.other, to: $0) }
    for value in [1, 5, -3, 1_000] {
      top.receive(.set(\.count, to: value))
      #expect(bottom.count == value * 2)
      #expect(bottom.other == value * 3)
    }
  }

  @Test("A cycle stops when the values do")
  func law17_convergingCycle() {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store())
    two.bind(id: "up", to: one, on: \.count) { .set(\.count, to: $0) }
    one.bind(id: "down", to: two, on: \.count) { .set(\.count, to: min($0 + 1, 500)) }
    #expect(one.count == 500)
    #expect(two.count == 500)
    two.receive(.set(\.count, to: 7))
    #expect(one.count == 500)
    #expect(two.count == 500)
    #expect(!recorder.lines.contains { $0.hasPrefix("unsettled") })
  }

  struct PoorlyHashed: Hashable, Sendable, CustomStringConvertible {
    let description: String
    func hash(into hasher: inout Hasher) {}
  }

  @Test("Each cycle that never settles is reported, also if the hashes of their ids are the same")
  func law17_cyclesWithEqualHashes() {
    let recorder = Recorder()
    let one = harness.store(instrument: recorder)
    for round in 1...2 {
      let two = harness.store(instrument: recorder)
      let stop = Note(false)
      two.bind(id: PoorlyHashed(description: "up \(round)"), to: one, on: \.count) {
        stop.value ? .none : .set(\.count, to: $0 + 1)
      }
      one.bind(id: PoorlyHashed(description: "down \(round)"), to: two, on: \.count) {
        stop.value ? .none : .set(\.count, to: $0 + 1)
      }
      stop.value = true
      one.receive(.cancelAll())
      two.deactivate()
      harness.settle()
    }
    let reports = recorder.lines.filter { $0.hasPrefix("unsettled") }
    #expect(reports == ["unsettled down 1, up 1", "unsettled down 2, up 2"])
    one.deactivate()
  }

  @Test("A cycle that never settles is reported with the ids of its bindings, and the caller gets on")
  func law17_unsettledCycleIsReported() {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    let stop = Note(false)
    let bystander = harness.store()
    bystander.bind(id: "bystander", to: one, on: \.count) { _ in .none }
    two.bind(id: "up", to: one, on: \.count) { stop.value ? .none : .set(\.count, to: $0 + 1) }
    one.bind(id: "down", to: two, on: \.count) { stop.value ? .none : .set(\.count, to: $0 + 1) }
    #expect(recorder.lines.contains("unsettled down, up"))
    // The process stays responsive, the two stores included.
    bystander.receive(.log("responsive"))
    #expect(bystander.log == ["responsive"])
    one.receive(.log("responsive"))
    #expect(one.log == ["responsive"])
    stop.value = true
    one.deactivate()
    two.deactivate()
  }

  enum Branching: CaseIterable { case list, twoBindings, twoStores }

  @Test("A cycle whose rounds each lead to two more is reported, and the caller gets on", arguments: Branching.allCases)
  func law17_branchingCycle(branching: Branching) {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    let (stop, bystander) = (Note(false), harness.store())
    bystander.bind(id: "bystander", to: one, on: \.count) { _ in .none }
    let next: @Sendable (Int) -> JournalStore.Effect = { stop.value || $0 == 0 ? .none : .set { $0.count += 1 } }
    switch branching {
    case .list: one.bind(id: "a", to: one, on: \.count) { .concatenate(next($0), next($0)) }
    case .twoBindings:
      for id in ["a", "b"] { one.bind(id: id, to: one, on: \.count) { next($0) } }
    case .twoStores:
      for id in ["a", "b"] { two.bind(id: id, to: one, on: \.count) { next($0) } }
      one.bind(id: "c", to: two, on: \.count) { next($0) }
    }
    one.receive(.set(\.count, to: 1))
    let ids = branching == .list ? "a" : branching == .twoBindings ? "a, b" : "a, b, c"
    // The report waits behind the values that have been queued by now.
    stop.value = true
    harness.settle()
    #expect(recorder.lines.contains("unsettled \(ids)"))
    one.deactivate()
    two.deactivate()
  }

  @Test("Very many deliveries that lead round in no cycle are all made before the call returns")
  func law17_manyDeliveries() {
    let recorder = Recorder()
    let (one, two, three) = (harness.store(instrument: recorder), harness.store(), harness.store())
    let increment = JournalStore.Effect.set { $0.count += 1 }
    for id in 0..<4 {
      two.bind(id: id, to: one, on: \.count) { _ in .concatenate(effects: Array(repeating: increment, count: 50)) }
    }
    for id in 0..<100 { three.bind(id: id, to: two, on: \.count) { _ in increment } }
    one.receive(.set(\.count, to: 1))
    #expect(two.count == 200 * 2 && three.count == 100 * (1 + 200))
    #expect(!recorder.lines.contains { $0.hasPrefix("unsettled") })
  }

  @Test("A cycle that leads back by a lift, or by a call in a mapping, is reported too", arguments: [false, true])
  func law17_cycleByLift(isCall: Bool) {
    let recorder = Recorder()
    let (one, two) = (harness.store(instrument: recorder), harness.store(instrument: recorder))
    let stop = Note(false)
    two.bind(id: "up", to: one, on: \.count) { [one] count in
      if stop.value { return .none }
      if isCall { one.update { $0.count = count + 1 } }
      return isCall ? .none : .lift(.set(\.count, to: count + 1), to: one)
    }
    stop.value = true
    harness.settle()
    #expect(recorder.lines.contains("unsettled up"))
  }

  @Test("What a mapping commits to the store that its binding observes is told before the call returns")
  func law16_commitsInAMapping() {
    let (up, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: up, on: \.count) { [up] count in
      if count == 1 { for next in 2...3_000 { up.update { $0.count = next } } }
      return .log(count)
    }
    up.receive(.set(\.count, to: 1))
    #expect(down.log == (0...3_000).map(String.init))
  }

  @Test("A chain of 10,000 stores does not recurse on the stack")
  func law17_longChain() {
    let stores = (0...10_000).map { _ in harness.store() }
    for (up, down) in zip(stores, stores.dropFirst()) {
      down.bind(id: "b", to: up, on: \.count) { .set(\.count, to: $0) }
    }
    stores[0].receive(.set(\.count, to: 7))
    #expect(stores[10_000].count == 7)
    stores[0].receive(.set(\.count, to: 9))
    #expect(stores.allSatisfy { $0.count == 9 })
  }

  // MARK: Law 18

  @Test("Two bindings of the same id from different stores do not touch each other")
  func law18_sameIdentifierFromTwoStores() {
    let (store, one, two) = (harness.store(), harness.store(), harness.store())
    one.bind(id: "b", to: store, on: \.count) { .log($0) }
    two.bind(id: "b", to: store, on: \.count) { .log($0) }
    store.receive(.set(\.count, to: 1))
    one.receive(.cancel("b"))
    store.receive(.cancel("b"))
    store.receive(.set(\.count, to: 2))
    #expect(one.log == ["0", "1"])
    #expect(two.log == ["0", "1", "2"])
    #expect(one.remains == [])
  }

  @Test("A binding of the same id in one store replaces the old one")
  func law18_bindingIsReplaced() {
    let (store, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: store, on: \.count) { .log("old \($0)") }
    down.bind(id: "b", to: store, on: \.count) { .log("new \($0)") }
    store.receive(.set(\.count, to: 1))
    #expect(down.log == ["old 0", "new 0", "new 1"])
    down.receive(.cancel("b"))
    #expect(down.remains == [])
  }

  @Test("Neither store keeps the other alive")
  func law18_neitherKeepsTheOtherAlive() {
    var up: JournalStore? = harness.store()
    var down: JournalStore? = harness.store()
    weak let weakUp = up
    weak let weakDown = down
    down?.bind(id: "b", to: up!, on: \.count) { .log($0) }
    down = nil
    #expect(weakDown == nil)
    up?.receive(.set(\.count, to: 1))
    up = nil
    #expect(weakUp == nil)
  }

  @Test("The binding ends with the upstream, and its last effects go on")
  func law18_upstreamGoes() {
    var up: JournalStore? = harness.store()
    let down = harness.store()
    let census = Census()
    down.bind(id: "b", to: up!, on: \.count) { [canary = census.canary()] value in
      withExtendedLifetime(canary) { .concatenate(.sleep(.seconds(1)), .log(value)) }
    }
    up?.receive(.set(\.count, to: 1))
    up = nil
    harness.advance(by: .seconds(1))
    #expect(down.log == ["0", "1"])
    #expect(down.remains == [], "law 20: the binding's closures are gone with it")
    #expect(census.alive == 0)
  }

  @Test("A timer that a binding has started outlives the upstream, and ends with a cancel of the binding")
  func law18_timerOfAGoneUpstream() {
    var up: JournalStore? = harness.store()
    let down = harness.store()
    down.bind(id: "b", to: up!, on: \.count) { _ in .timer(.seconds(1), id: "t") { _ in .log("tick") } }
    up = nil
    harness.advance(by: .seconds(2))
    #expect(down.log == ["tick", "tick"])
    down.receive(.cancel("b"))
    harness.advance(by: .seconds(2))
    #expect(down.log == ["tick", "tick"])
    #expect(down.remains == [])
  }

  @Test("A binding to a store that is not active ends at once; deactivating the upstream ends its bindings")
  func law18_upstreamIsDeactivated() {
    let (up, down) = (harness.store(), harness.store())
    down.bind(id: "b", to: up, on: \.count) { .log($0) }
    up.deactivate()
    #expect(down.remains == [])
    down.bind(id: "c", to: up, on: \.count) { _ in .log("never") }
    #expect(down.remains == [])
    up.activate()
    up.receive(.set(\.count, to: 5))
    #expect(down.log == ["0"], "activate revives nothing")
  }

  @Test("Effects that a binding started die with it")
  func law18_startedEffectsDieWithTheBinding() {
    let (up, down) = (harness.store(), harness.store())
    let gate = Gate()
    down.bind(id: "b", to: up, on: \.count) {
      .merge(
        .concatenate(.sleep(.seconds(1)), .log("never")), .logTask("never \($0)", after: gate),
        .timer(.seconds(1), id: "t") { _ in .log("never") })
    }
    harness.settle()
    down.receive(.cancel("b"))
    gate.open()
    harness.advance(by: .seconds(5))
    #expect(down.log == [])
    #expect(down.remains == [])
  }

  @Test("A binding may end itself in answer to a value, also to the first")
  func law18_bindingEndsItself() {
    let (up, down) = (harness.store(), harness.store())
    down.bind(id: "first", to: up, on: \.count) { _ in .concatenate(.cancel("first"), .log("never")) }
    down.bind(id: "second", to: up, on: \.count) { $0 == 1 ? .cancel("second") : .log($0) }
    up.receive(.set(\.count, to: 1))
    up.receive(.set(\.count, to: 2))
    #expect(down.log == ["0"])
    #expect(down.remains == [])
  }

  @TaskLocal static var value = 0

  @Test("Operations that a binding starts have the task-local values of the binding's receiver")
  func law22_taskLocalsInABinding() {
    let (up, down) = (harness.store(), harness.store())
    Self.$value.withValue(5) {
      down.bind(id: "b", to: up, on: \.count) { _ in .task { .log(Self.value) } }
    }
    Self.$value.withValue(7) {
      _ = up.receive(.set(\.count, to: 1))
    }
    up.receive(.set(\.count, to: 2))
    harness.settle()
    #expect(down.log == ["5", "5", "5"])
  }

  @Test("A binding of a store to itself takes no memory for each round")
  func law17_roundsTakeNoMemory() {
    let store = harness.store()
    let counts = Note<[UInt]>([])
    store.bind(id: "b", to: \.count) { [runtime = store.runtime] count in
      counts.change { $0.append(_getRetainCount(runtime)) }
      return count < 900 ? .set(\.count, to: count + 1) : .none
    }
    harness.settle()
    #expect(store.count == 900)
    let (least, most) = (counts.value.min() ?? 0, counts.value.max() ?? 0)
    #expect(most - least < 10)
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
