import AsyncStoreActions
import Testing

@Suite("A store that is bound to an actor has changed, when it is called there and that returns,")
struct ActorBoundTests {
  private let desk: Desk
  private let store: BoardStore

  init() {
    desk = Desk()
    store = BoardStore(state: Board(), env: Service(), isolation: desk)
  }

  @Test("by a scope")
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

  @Test("by a bound function")
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

  @Test("by a child")
  func child() async {
    let left = store.child(\.left)
    let count = await desk.run { _ in
      left.receive(.set(\.count, to: 3))
      return left.count
    }
    #expect(count == 3)
  }

  @Test("by a history")
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

  @Test("but by the value of a binding changes in a turn that follows")
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
}
