import Observation
import Testing

@testable import AsyncStore

@Suite("Observation")
struct ObservationTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()

  /// Tracks what a body reads, and counts how often Observation reports a change of it, 0 or 1.
  func track(_ body: () -> Void) -> Note<Int> {
    let changes = Note(0)
    withObservationTracking(body) { changes.change { $0 += 1 } }
    return changes
  }

  @Test("Tracking fires only for the property that changed")
  func onlyTheChangedProperty() {
    let store = harness.store()
    let count = track { _ = store.count }
    let other = track { _ = store.other }
    let both = track { _ = (store.count, store.other) }
    store.receive(.log("a line"))
    store.receive(.set(\.count, to: 0))
    #expect([count.value, other.value, both.value] == [0, 0, 0])
    store.receive(.set(\.count, to: 1))
    #expect([count.value, other.value, both.value] == [1, 0, 1])
    store.receive(.set(\.other, to: 1))
    #expect([count.value, other.value, both.value] == [1, 1, 1])
  }

  @Test("The whole state counts as changed with every commit")
  func wholeState() {
    let store = harness.store()
    let changes = track { _ = store.state.count }
    store.receive(.log("a line"))
    #expect(changes.value == 1)
  }

  @Test("A change that comes from a task, a timer or a binding is noticed too")
  func anyOrigin() {
    let (store, up) = (harness.store(), harness.store())
    store.bind(id: "b", to: up, on: \.count) { .set(\.other, to: $0) }
    var changes = track { _ = store.count }
    store.receive(.task { .set(\.count, to: 1) })
    #expect(changes.value == 0)
    harness.settle()
    #expect(changes.value == 1)
    changes = track { _ = store.count }
    store.receive(.timer(.seconds(1), id: "t") { _ in .set { $0.count += 1 } })
    harness.advance(by: .seconds(1))
    #expect(changes.value == 1)
    changes = track { _ = store.other }
    up.receive(.set(\.count, to: 5))
    #expect(changes.value == 1)
    store.deactivate()
  }

  @Test("Each tracking is notified once, and reading again tracks again")
  func readingAgain() {
    let store = harness.store()
    let total = Note(0)
    @Sendable func render() {
      withObservationTracking {
        _ = store.count
      } onChange: {
        total.change { $0 += 1 }
      }
    }
    render()
    store.receive(.set(\.count, to: 1))
    store.receive(.set(\.count, to: 2))
    #expect(total.value == 1)
    render()
    store.receive(.set(\.count, to: 3))
    #expect(total.value == 2)
  }

  @Test("A nested property is tracked apart from its neighbours")
  func nestedProperties() {
    struct Inner: Sendable, Equatable { var name = ""; var age = 0 }
    struct Outer: Sendable { var inner = Inner() }
    let store = harness.store(of: Outer(), env: ())
    let name = track { _ = store[dynamicMember: \.inner.name] }
    let inner = track { _ = store.inner }
    store.receive(.set(\.inner.age, to: 1))
    #expect(name.value == 0)
    #expect(inner.value == 1)
    store.receive(.set(\.inner.name, to: "x"))
    #expect(name.value == 1)
  }

  @Test("A property that is not equatable counts as changed with the next commit")
  func notEquatable() {
    struct Opaque: Sendable { var value = 0 }
    struct Holder: Sendable { var opaque = Opaque(); var other = 0 }
    let store = harness.store(of: Holder(), env: ())
    let changes = track { _ = store.opaque }
    store.receive(.set(\.other, to: 1))
    #expect(changes.value == 1)
  }

  @Test("Thousands of properties that are read once leave nothing to evaluate again")
  func readingLeavesNothing() {
    let getters = Tally()
    let store = harness.store(of: Row(numbers: Array(0..<8_000), getters: getters), env: ())
    for index in 0..<8_000 { _ = store[index] }
    #expect(getters.value == 8_000)
    #expect(store.observerCount == 0)
    store.receive(.set { $0.numbers = [] })
    #expect(getters.value == 8_000)
  }

  @Test("Thousands of tracked properties are found by their hash, evaluated once each, and forgotten when reported")
  func manyTrackedProperties() {
    let getters = Tally()
    let store = harness.store(of: Row(numbers: Array(0..<2_000), getters: getters), env: ())
    let changes = track {
      for index in 0..<2_000 { _ = store[index] }
      for index in 0..<2_000 { _ = store[index] }
    }
    #expect(store.observerCount == 2_000)
    #expect(getters.value == 4_000)
    store.receive(.set { $0.numbers = [] })
    #expect(changes.value == 1)
    #expect(store.observerCount == 0)
    #expect(getters.value == 4_000)
  }

  @Test("An element that was read, tracked or not, may be removed")
  func elementsMayGo() {
    let store = harness.store(of: Row(numbers: [1, 2, 3], getters: Tally()), env: ())
    _ = store[2]
    let changes = track { _ = store[2] }
    let nested = track { _ = store[dynamicMember: \.numbers[1]] }
    store.receive(.set { $0.numbers = [] })
    #expect([changes.value, nested.value] == [1, 1])
  }

  struct Row: Sendable {
    var numbers: [Int]
    let getters: Tally
    subscript(index: Int) -> Int {
      getters.add()
      return numbers[index]
    }
  }

  @Test("A change is noticed also when the store has been inactive between the reading and the change")
  func trackingOutlastsDeactivation() {
    let store = harness.store()
    let changes = track { _ = store.count }
    store.deactivate()
    #expect(changes.value == 0)
    store.activate()
    store.receive(.set(\.count, to: 1))
    #expect(changes.value == 1)
  }

  @Test("Reading does not keep the store alive")
  func readingDoesNotKeepTheStore() {
    var store: JournalStore? = harness.store()
    weak let weakStore = store
    let changes = track { _ = store?.count }
    store = nil
    #expect(weakStore == nil)
    #expect(changes.value == 0)
  }
}
