import Synchronization
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

  @Test("All observers are notified of a change before any is notified of the next, even if the first of them makes it")
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

  @Test("A binding that is notified ends itself and the next one with all that they hold, and adds another")
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

  @Test("A binding made while another one is notified gets the current value, and then each that follows")
  func law16_bindingMadeDuringDelivery() {
    let (store, one, two) = (harness.store(), harness.store(), harness.store())
    one.bind(id: "b", to: store, on: \.count) { value in
      if value == 2 { two.bind(id: "b", to: store, on: \.count) { .log($0) } }
      return .none
    }
    for value in 1...4 { store.receive(.set(\.count, to: value)) }
    #expect(two.log == ["2", "3", "4"])
  }

  @Test("A binding that is cancelled while another one is notified of a change is not notified of it any more")
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

  @Test("A binding that is being cancelled maps no value that a cancellation handler commits to its upstream")
  func law16_commitDuringCancel() {
    let (store, down, gate) = (harness.store(), harness.store(), Gate())
    let mapped = Shared(Mutex<[Int]>([]))
    down.receive(
      .task {
        await withTaskCancellationHandler {
          await gate.wait()
        } onCancel: {
          store.receive(.set(\.count, to: 1))
        }
        return .none
      }.id("operation"))
    harness.settle()
    down.bind(id: "b", to: store, on: \.count) { value in
      mapped.value.withLock { $0.append(value) }
      return .none
    }
    down.receive(.cancelAll())
    #expect((store.count, mapped.value.withLock { $0 }) == (1, [0]))
    gate.open()
  }

  @Test("Many bindings are each notified of each commit of one receive, in order")
  func law16_manyBindingsManyCommits() {
    let store = harness.store()
    let downs = (0..<100).map { _ in harness.store() }
    for down in downs { down.bind(id: "b", to: store, on: \.count) { .log($0) } }
    store.receive(.concatenate(effects: (1...5).map { .set(\.count, to: $0) }))
    for down in downs { #expect(down.log == ["0", "1", "2", "3", "4", "5"]) }
  }

  @Test("Several bindings of one store are each notified of everything")
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

  @Test("A store may be bound to its own property")
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

  @Test("A commit of a mapping to the store that its binding observes is delivered before the call returns")
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

  @Test("Neither of two bound stores keeps the other alive")
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

  @Test("A binding ends with its upstream, and its last effects continue")
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
}
