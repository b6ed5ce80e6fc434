import AsyncStoreActions
import Testing

@Suite("An action whose changes are reported inside a wrapper")
struct PublishedActionTests {
  let store = BoardStore(Board(cells: ["a": Cell()]))
  let depth = Note(0)
  let told = Note<[String]>([])

  init() {
    let (depth, told) = (depth, told)
    let listener = EveryCommit { told.change { $0.append(depth.value > 0 ? "inside" : "outside") } }
    _ = store.listen(listener)
  }

  var wrapper: DeliveryWrapper {
    { [depth] deliver in
      depth.change { $0 += 1 }
      deliver()
      depth.change { $0 -= 1 }
    }
  }

  @Test("A wrapper around an action covers the actions that its effects send, and no others")
  func followUps() async {
    store.send(.add(1))
    let outcome = await store.run(.send(.load).published(in: wrapper))
    store.send(.add(1))
    #expect(outcome.isFinished)
    #expect(store.lines == ["text"])
    #expect(told.value == ["outside", "inside", "inside", "outside"])
  }

  @Test("A wrapper around an action sent to a scope covers the actions that the part's effects send")
  func scope() {
    let cell = store.scope(\.cells, key: "a", actions: Board.Action.cell)
    cell.send(.twice, in: wrapper)
    cell.send(.increment)
    #expect(store.cells["a"]?.count == 3)
    #expect(told.value == ["inside", "inside", "inside", "outside"])
  }

  @Test("A wrapper around a part's own effect covers the actions that the whole sends on")
  func embedded() {
    let wrapper = wrapper
    let part = Reducer<Cell, Cell.Action, Void> { cell, action in
      cell.note = "updated"
      return .send(action).published(in: wrapper)
    }
    let cell = ActionCase<Board.Action, Cell.Action>(embed: Board.Action.left) { action in
      if case .left(let action) = action { action } else { nil }
    }
    let whole = part.pullback(to: Part(\Board.left), actions: cell)
    store.receive(.update { whole.reduce(&$0, .left(.twice)) })
    #expect(store.left.count == 2)
    #expect(told.value == ["outside", "inside", "inside", "inside"])
  }
}

/// Observes every commit.
private final class EveryCommit: CommitListener {
  private let told: @Sendable () -> Void

  init(_ told: @escaping @Sendable () -> Void) { self.told = told }

  func committed(_ state: Board) -> Bool { true }
  func deliver() { told() }
}
