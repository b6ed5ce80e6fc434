import AsyncStoreActions
import Testing

@Suite("A store that is bound to an actor")
struct ActorBoundTests {
  private let desk: Desk
  private let store: BoardStore

  init() {
    desk = Desk()
    store = BoardStore(state: Board(), env: Service(), isolation: desk)
  }

  @Test("A scope's `send` on the store's actor changes the store before it returns")
  func scope() async {
    let left = store.scope(\.left, actions: Board.Action.left)
    let counts = await desk.run { [store] _ in
      left.send(.increment)
      let first = store.left.count
      left.send([.increment, .increment])
      let second = store.left.count
      left.send(.increment, in: { $0() })
      return [first, second, store.left.count]
    }
    #expect(counts == [1, 3, 4])
  }

  @Test("An action has taken effect in a bound store of the caller's actor when another store's `send` returns")
  @MainActor
  func sendOfAnotherStore() {
    let shared = BoardStore(Board())
    let view = BoardStore(state: Board(), env: Service(), isolation: MainActor.shared)
    view.bind(id: "total", to: shared, on: \.total) { .set(\.total, to: $0) }
    view.bind(id: "left", to: shared, on: \.left.count) { .set(\.left.count, to: $0) }
    shared.send(.add(3))
    #expect(view.total == 3)
    shared.scope(\.left, actions: Board.Action.left).send([.increment, .increment])
    #expect(view.left.count == 2)
    shared.function(.add(1))()
    #expect(view.total == 4)
  }

  @Test("A bound function called on the store's actor changes the store before it returns")
  func function() async {
    let add = store.function { (a: Int, b: Int) in .add(a * b) }
    let increment = store.function(.add(1))
    let total = await desk.run { [store] _ in
      add(2, 3)
      increment()
      return store.total
    }
    #expect(total == 7)
  }

  @Test("A child store's `receive` on the store's actor changes the store before it returns")
  func child() async {
    let left = store.child(\.left)
    let count = await desk.run { _ in
      left.receive(.set(\.count, to: 3))
      return left.count
    }
    #expect(count == 3)
  }

  @Test("A history's `undo` and `redo` on the store's actor change the store before they return")
  func history() async {
    let history = store.undoHistory(of: \.total)
    let totals = await desk.run { [store] _ in
      store.send(.add(1))
      history.undo()
      let first = store.total
      history.redo()
      return [first, store.total]
    }
    #expect(totals == [0, 1])
  }

  @Test("Setting a binding's value on the store's actor changes the store in a later turn")
  func binding() async {
    let total = store.binding(\.total)
    let lines = store.binding(\.lines.last, sending: { Board.Action.log($0 ?? "") })
    let state = await desk.run { [store] _ in
      total.wrappedValue = 4
      lines.wrappedValue = "a"
      return store.state
    }
    #expect(state == Board())
    await store.run(.keep)
    #expect(store.state == Board(total: 4, lines: ["a"]))
  }

  #if os(Linux)
    /// Elsewhere, only checks that trap tell whether a thread is on an actor.
    @Test("An action that is sent in a method converted to a function of the main actor is handled there")
    @concurrent
    func convertedMethod() async {
      let store = PlaceStore(state: Place(), env: (), isolation: MainActor.shared)
      let send: @MainActor @Sendable () async -> Void = Screen(store: store).send
      await send()
      // Its turn comes after the action's.
      await store.run(.set(\.isNoted, to: true))
      #expect(store.state == Place(isOnMainQueue: true, isNoted: true))
    }
  #endif
}

/// Notes where its action is handled.
private struct Place: Model {
  enum Action: Sendable { case note }

  var isOnMainQueue: Bool?
  var isNoted = false

  static func update(_ state: inout Place, _ action: Action) -> AsyncStore<Place, Void>.Effect {
    state.isOnMainQueue = MainQueue.isCurrent
    return .none
  }
}

private typealias PlaceStore = AsyncStore<Place, Void>

/// A method on the actor of its caller, which Swift 6.3 names without going to it if the method is converted.
private struct Screen {
  let store: PlaceStore

  nonisolated(nonsending) func send() async { store.send(.note) }
}
