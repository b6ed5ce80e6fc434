import AsyncStoreActions
import Synchronization
import Testing

@Suite("The cost of an action log")
struct ActionLogCostTests {
  @Test("An action log computes the state for a comparison once, however many changes have no effect")
  func repeatedChanges() {
    let store = StoreOf<Counted>(state: Counted(), env: ())
    store.startRecording()
    for _ in 0..<900 { store.send(.increment) }
    let before = Counted.updates.load(ordering: .relaxed)
    for _ in 0..<100 { store.receive(.set { $0.count = 900 }) }
    #expect(Counted.updates.load(ordering: .relaxed) - before <= 900)
    #expect(store.actionLog?.count == 900)
    store.receive(.set { $0.count = 1 })
    for _ in 0..<2 { store.receive(.set { $0.count = 1 }) }
    store.send(.increment)
    store.receive(.set { $0.count = 2 })
    #expect(store.actionLog?.count == 902)
    #expect((try? store.actionLog?.replay())?.count == 2)
  }

  @Test("A store that does not record creates nothing when it is asked for its action log")
  func unrecorded() {
    let store = StoreOf<Counted>(state: Counted(), env: ())
    #expect(store.actionLog == nil)
    #expect(throws: ActionLogError.self) { try store.travel(to: 0) }
    #expect(store.withAssociatedObject { object, _ in object == nil })
  }
}

/// A model that counts its updates.
private struct Counted: Model {
  enum Action: Sendable { case increment }
  static let updates = Atomic(0)

  var count = 0

  static func update(_ state: inout Counted, _ action: Action) -> Effect {
    updates.wrappingAdd(1, ordering: .relaxed)
    state.count += 1
    return .none
  }
}
