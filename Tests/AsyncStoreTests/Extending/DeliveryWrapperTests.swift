import Observation
import Testing

@testable import AsyncStore

@Suite("A wrapper of deliveries")
struct DeliveryWrapperTests {
  typealias Effect = JournalStore.Effect
  let harness = Harness()
  let wrappers = Note<[String]>([])

  /// Returns a wrapper that notes its name while its delivery runs.
  func wrapper(_ name: String) -> DeliveryWrapper {
    { [wrappers] deliver in
      wrappers.change { $0.append(name) }
      deliver()
      wrappers.change { _ = $0.popLast() }
    }
  }

  /// Returns a note that collects each notification of the log's last line, with the wrappers around that notification.
  func notificationCount(of store: JournalStore) -> Note<[String]> {
    let told = Note<[String]>([])
    let names = wrappers
    let listener = LineListener { line in
      told.change { $0.append(([line] + names.value).joined(separator: " in ")) }
    }
    _ = store.listen(listener)
    return told
  }

  @Test("A delivery wrapper wraps the delivery of each commit of its effect, and of no other")
  func exactlyThose() {
    let store = harness.store()
    let told = notificationCount(of: store)
    store.receive(.log("before"))
    store.receive(.concatenate(.log("one"), .log("two")).published(in: wrapper("w")))
    store.receive(.log("after"))
    #expect(told.value == ["before", "one in w", "two in w", "after"])
  }

  @Test("A delivery wrapper spans waits and the effects that operations, ticks and handlers answer with")
  func travels() {
    let store = harness.store()
    let told = notificationCount(of: store)
    let effect = Effect.concatenate(
      .sleep(.seconds(1)), .log("slept"), .task { .task { .concatenate(.sleep(.seconds(1)), .log("operated")) } },
      .fail("no").recover { _ in .log("recovered") }, .read { .log("read after \($0.log.count)") },
      .update { state in
        state.log.append("updated")
        return .log("followed")
      },
      .timer(.seconds(10), id: "t") { .log("tick \($0.index)") })
    store.receive(effect.published(in: wrapper("w")))
    harness.advance(by: .seconds(1))
    store.receive(.log("beside"))
    harness.settle()
    harness.advance(by: .seconds(1))
    harness.advance(by: .seconds(10))
    #expect(
      told.value == [
        "slept in w", "beside", "operated in w", "recovered in w", "read after 4 in w", "updated in w", "followed in w",
        "tick 1 in w",
      ])
    store.deactivate()
    #expect(store.remains == [])
  }

  @Test("A delivery wrapper reaches a set inside any other effect, and leaves labels, kinds and locations as they are")
  func enclosed() {
    let store = harness.store()
    let told = notificationCount(of: store)
    let effect = Effect.merge(
      .log("named").id("a"), .log("body").finally(.log("cleanup")),
      .concatenate(.sleep(.seconds(1)), .log("late")).label("the label").id("b"),
      .sleep(.seconds(9)).timeout(.seconds(2), else: .log("too late")))
    let (plain, wrapped) = (harness.store(), effect.published(in: wrapper("w")))
    plain.receive(effect)
    store.receive(wrapped)
    #expect(store.inFlight.map(\.kind) == plain.inFlight.map(\.kind))
    #expect(store.inFlight.map(\.label) == plain.inFlight.map(\.label))
    #expect(store.inFlight.map(\.location) == plain.inFlight.map(\.location))
    harness.advance(by: .seconds(2))
    #expect(told.value == ["named in w", "body in w", "cleanup in w", "late in w", "too late in w"])
    #expect(plain.log == store.log)
    #expect(store.remains == [])
  }

  @Test("An inner delivery wrapper takes the place of the one around it")
  func innermost() {
    let store = harness.store()
    let told = notificationCount(of: store)
    let inner = Effect.concatenate(.log("inner"), .task { .log("later") }).published(in: wrapper("i"))
    store.receive(.concatenate(inner, .log("outer")).published(in: wrapper("o")))
    harness.settle()
    #expect(told.value == ["inner in i", "later in i", "outer in o"])
  }

  @Test("A delivery wrapper wraps Observation's reports, and not what a binding changes elsewhere")
  func observation() {
    let (store, down) = (harness.store(), harness.store())
    let names = wrappers
    let reports = Note<[[String]]>([])
    down.bind(id: "b", to: store, on: \.count) { .log("\($0)") }
    let told = notificationCount(of: down)
    withObservationTracking {
      _ = store.count
    } onChange: {
      let around = names.value
      reports.change { $0.append(around) }
    }
    store.receive(.set(\.count, to: 1).published(in: wrapper("w")))
    #expect(reports.value == [["w"]])
    #expect(told.value == ["1"])
  }

  @Test("A delivery wrapper leaves identifiers, order and outcome as they are")
  func sameEffect() {
    let store = harness.store()
    let effect = Effect.concatenate(.sleep(.seconds(1)), .log("never")).id("a")
    let handle = store.receive(effect.published(in: wrapper("w")))
    store.receive(.cancel("a"))
    #expect(handle.outcomeIfSettled?.isCancelled == true)
    harness.advance(by: .seconds(1))
    #expect(store.log == [])
    #expect(store.remains == [])
  }
}

/// Reports the last line of a journal after each commit.
private final class LineListener: CommitListener {
  private let lines = Note<[String]>([])
  private let told: @Sendable (String) -> Void

  init(_ told: @escaping @Sendable (String) -> Void) { self.told = told }

  func committed(_ state: Journal) -> Bool {
    guard let line = state.log.last else { return false }
    lines.change { $0.append(line) }
    return true
  }

  func deliver() {
    let line = lines.value[0]
    lines.change { $0.removeFirst() }
    told(line)
  }
}
