import AsyncStore
import AsyncStoreActions
import Testing

/// The rows of the guide *Coming from ObservableStore*, each under its left column.
@Suite("Coming from ObservableStore")
struct ComingFromObservableStoreTests {
  struct Shop: Model {
    enum Action: Sendable, Equatable { case tally(Tally.Action), row(String, Tally.Action), load, loaded(String), both }
    typealias Environment = UserService
    var tally = Tally()
    var rows: [String: Tally] = [:]
    var names: [String] = []

    static func update(_ state: inout Shop, _ action: Action) -> Effect {
      switch action {
      case .tally(let action): return update(Part(\.tally), of: &state, action, as: Action.tally)
      case .row(let key, let action):
        return update(Part(\.rows, key: key), of: &state, action, as: { .row(key, $0) })
      case .load: return .perform { service in .send(.loaded(try await service.user())) }
      case .loaded(let name): state.names.append(name)
      case .both: return .merge(.send(.loaded("a")), .send(.loaded("b")))
      }
      return .none
    }
  }

  let shop = StoreOf<Shop>(state: Shop(), env: UserService())

  @Test("`ModelProtocol`")
  func model() {
    func isModel<State: Model>(_ type: State.Type) -> Bool { true }
    #expect(isModel(Shop.self))
  }

  @Test("`update(state:action:environment:) -> Update`")
  func update() {
    var state = Shop()
    _ = Shop.update(&state, .loaded("Ada"))
    #expect(state.names == ["Ada"])
  }

  @Test("`Fx`, a publisher of actions")
  func effects() async {
    await shop.run(.load)
    #expect(shop.names == ["Ada"])
  }

  @Test("`Update.mergeFx`")
  func merging() {
    shop.send(.both)
    #expect(shop.names == ["a", "b"])
  }

  @Test("`update(state:actions:environment:)`")
  func severalActions() async {
    var updates = shop.updates.makeAsyncIterator()
    shop.send([.loaded("a"), .loaded("b")])
    #expect(await updates.next()?.state.names == ["a", "b"])
  }

  @Test("`Store(create:)`, `Store(state:action:)`")
  func starting() async {
    let created = StoreOf<Shop>(env: UserService()) { _ in (state: Shop(names: ["a"]), effect: .send(.loaded("b"))) }
    #expect(created.names == ["a", "b"])
    let sent = StoreOf<Shop>(state: Shop(), env: UserService(), middleware: [], action: .loaded("c"))
    #expect(sent.names == ["c"])
  }

  @Test("`viewStore(get:tag:)`, cursors, keyed cursors")
  func scopes() {
    shop.receive(.set { $0.rows["a"] = Tally() })
    let tally = shop.scope(\.tally, actions: Shop.Action.tally)
    let row = shop.scope(\.rows, key: "a", actions: Shop.Action.row)
    tally.send(.add(2))
    row.send(.add(3))
    #expect(tally.count == 2)
    #expect(row.count == 3)
    shop.receive(.set { $0.rows["a"] = nil })
    row.send(.add(3))
    #expect(row.count == nil)
  }

  @Test("`update(get:set:tag:state:action:environment:)`")
  func parts() {
    shop.send(.tally(.increment))
    #expect(shop.tally.count == 1)
  }

  @Test("`binding(get:tag:)`")
  func binding() {
    let count = shop.binding(\.tally.count, sending: { .tally(.add($0)) })
    count.wrappedValue = 4
    #expect(shop.tally.count == 4)
    #expect(count.wrappedValue == 4)
  }

  @Test("`actions`, `updates` publishers")
  func watching() async {
    var (actions, updates) = (shop.actions.makeAsyncIterator(), shop.updates.makeAsyncIterator())
    shop.send(.loaded("a"))
    #expect(await actions.next() == .loaded("a"))
    #expect(await updates.next()?.actions == [.loaded("a")])
  }
}
