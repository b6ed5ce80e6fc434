import AsyncStore
import AsyncStoreActions
import Observation
import Synchronization
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

  @Test("`Model` replaces `ModelProtocol`")
  func model() {
    func isModel<State: Model>(_ type: State.Type) -> Bool { true }
    #expect(isModel(Shop.self))
  }

  @Test("`update(_:_:) -> Effect` replaces `update(state:action:environment:) -> Update`")
  func update() {
    var state = Shop()
    _ = Shop.update(&state, .loaded("Ada"))
    #expect(state.names == ["Ada"])
  }

  @Test("An effect that ends in `.send(action)` replaces `Fx`, a publisher of actions")
  func effects() async {
    await shop.run(.load)
    #expect(shop.names == ["Ada"])
  }

  @Test("`.merge` replaces `Update.mergeFx`")
  func merging() {
    shop.send(.both)
    #expect(shop.names == ["a", "b"])
  }

  @Test("One commit of `store.send([action, action])` replaces `update(state:actions:environment:)`")
  func severalActions() async {
    var updates = shop.updates.makeAsyncIterator()
    shop.send([.loaded("a"), .loaded("b")])
    #expect(await updates.next()?.state.names == ["a", "b"])
  }

  static func recover(_ error: any Error) -> StoreOf<Shop>.Effect { .send(.loaded("\(error)")) }

  @Test("`StoreOf(state:env:)` replaces `Store(state:environment:)`")
  @MainActor
  func plain() async {
    let recorder = Recorder()
    let shop = StoreOf<Shop>(
      state: Shop(names: ["a"]), env: UserService(), clock: ContinuousClock(), isolation: MainActor.shared,
      instrument: recorder, mapError: Self.recover)
    await shop.run(
      .perform {
        try await $0.fail()
        return .none
      })
    #expect(shop.names == ["a", "Unavailable()"])
    #expect(!recorder.lines.isEmpty)
  }

  @Test("`StoreOf(env:create:)` replaces `Store(create:environment:)`")
  @MainActor
  func created() async {
    let recorder = Recorder()
    let shop = StoreOf<Shop>(
      env: UserService(), middleware: [Middleware { _, action in action == .both ? .loaded("b") : action }],
      clock: ContinuousClock(), isolation: MainActor.shared, instrument: recorder, mapError: Self.recover
    ) { _ in (state: Shop(names: ["a"]), effect: .send(.both)) }
    await shop.run(
      .perform {
        try await $0.fail()
        return .none
      })
    #expect(shop.names == ["a", "b", "Unavailable()"])
    #expect(!recorder.lines.isEmpty)
    let plain = StoreOf<Shop>(env: UserService()) { _ in (state: Shop(names: ["a"]), effect: .send(.loaded("b"))) }
    #expect(plain.names == ["a", "b"])
  }

  @Test("`StoreOf(state:env:middleware:action:)` replaces `Store(state:action:environment:)`")
  @MainActor
  func started() async {
    let recorder = Recorder()
    let shop = StoreOf<Shop>(
      state: Shop(), env: UserService(),
      middleware: [Middleware { _, action in action == .both ? .loaded("b") : action }], clock: ContinuousClock(),
      isolation: MainActor.shared, instrument: recorder, action: .both, mapError: Self.recover)
    await shop.run(
      .perform {
        try await $0.fail()
        return .none
      })
    #expect(shop.names == ["b", "Unavailable()"])
    #expect(!recorder.lines.isEmpty)
    let sent = StoreOf<Shop>(state: Shop(), env: UserService(), middleware: [], action: .loaded("c"))
    #expect(sent.names == ["c"])
  }

  @Test("`store.env` replaces `environment`")
  func environment() async throws {
    #expect(try await shop.env.user() == "Ada")
    await shop.run(.perform { service in .send(.loaded(try await service.user())) })
    #expect(shop.names == ["Ada"])
  }

  @Test("A store tells nobody of equal states, which are not set")
  func equalStates() async {
    let told = Mutex(0)
    withObservationTracking {
      _ = shop.names
    } onChange: {
      told.withLock { $0 += 1 }
    }
    shop.receive(.set { $0.names = [] })
    #expect(told.withLock { $0 } == 0)
    shop.send(.loaded("a"))
    #expect(told.withLock { $0 } == 1)
  }

  @Test("`store.bind(id:stream:)` replaces `subscribe(to:)`")
  func subscribing() async throws {
    let actions = AsyncStream<Shop.Action> { continuation in
      for name in ["a", "b"] { continuation.yield(.loaded(name)) }
      continuation.finish()
    }
    shop.bind(id: "keys", stream: actions) { .send($0) }
    try await shop.wait(for: \.names, toEqual: ["a", "b"])
  }

  @Test("`store.scope(_:actions:)` replaces `viewStore(get:tag:)` and cursors")
  func scopes() {
    let tally = shop.scope(\.tally, actions: Shop.Action.tally)
    tally.send(.add(2))
    #expect(tally.count == 2)
    let same = tally.scope(\.self, actions: { $0 })
    same.send(.increment)
    #expect(shop.tally.count == 3)
  }

  @Test("`store.scope(_:key:actions:)` replaces keyed cursors")
  func keyedScopes() {
    shop.receive(.set { $0.rows["a"] = Tally() })
    let row = shop.scope(\.rows, key: "a", actions: Shop.Action.row)
    row.send(.add(3))
    #expect(row.count == 3)
    shop.receive(.set { $0.rows["a"] = nil })
    row.send(.add(3))
    #expect(row.count == nil)
  }

  @Test("A scope's `send` replaces `Address.forward(send:tag:)`")
  func address() {
    let send: (Tally.Action) -> Void = { [tally = shop.scope(\.tally, actions: Shop.Action.tally)] in tally.send($0) }
    send(.add(2))
    #expect(shop.tally.count == 2)
  }

  @Test("`update(_:of:_:as:)` replaces `update(get:set:tag:state:action:environment:)`")
  func parts() {
    shop.send(.tally(.increment))
    #expect(shop.tally.count == 1)
  }

  @Test("`store.binding(_:sending:)` replaces `binding(get:tag:)`")
  func binding() {
    let count = shop.binding(\.tally.count, sending: { .tally(.add($0)) })
    count.wrappedValue = 4
    #expect(shop.tally.count == 4)
    #expect(count.wrappedValue == 4)
  }

  @Test("An effect's `published` replaces `Update.animation(_:)` and transactions")
  func animations() async {
    // Does the same as `animation(_:)` with SwiftUI's `withAnimation`.
    let animated = Mutex((now: false, names: [String]()))
    shop.install(
      .observing { committed in
        if case .loaded(let name) = committed.action {
          animated.withLock { animated in if animated.now { animated.names.append(name) } }
        }
      })
    shop.send(.loaded("plain"))
    await shop.run(
      .send(.load).published { deliver in
        animated.withLock { $0.now = true }
        deliver()
        animated.withLock { $0.now = false }
      })
    #expect(animated.withLock { $0.names } == ["Ada"])
  }

  @Test("`store.actions` and `store.updates` replace the publishers `actions` and `updates`")
  func watching() async {
    var (actions, updates) = (shop.actions.makeAsyncIterator(), shop.updates.makeAsyncIterator())
    shop.send(.loaded("a"))
    #expect(await actions.next() == .loaded("a"))
    #expect(await updates.next()?.actions == [.loaded("a")])
  }

  @Test("The middleware `.printing(where:to:)` does the logging")
  func logging() async throws {
    let lines = AsyncStream.makeStream(of: String.self)
    shop.install(.printing(where: { $0 != .load }, to: { lines.continuation.yield($0) }))
    await shop.run(.load)
    var iterator = lines.stream.makeAsyncIterator()
    #expect(await iterator.next() == "loaded(\"Ada\")")
  }

  @Test("`startRecording()`, `replay()` and `travel(to:)` are for recording and replaying actions")
  func recording() throws {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.startRecording()
    tally.send([.increment, .add(2)])
    #expect(try tally.actionLog?.replay() == tally.state)
    try tally.travel(to: 1)
    #expect(tally.count == 1)
  }
}
