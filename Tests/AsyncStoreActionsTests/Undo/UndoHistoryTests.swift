import AsyncStoreActions
import Testing

@Suite("A history")
struct UndoHistoryTests {
  let store = BoardStore()

  @Test("takes back each change, and makes it again")
  func undoAndRedo() {
    let history = store.undoHistory(of: \.total)
    for _ in 1...3 { store.send(.add(1)) }
    var totals: [Int] = []
    while history.canUndo {
      history.undo()
      totals.append(store.total)
    }
    while history.canRedo {
      history.redo()
      totals.append(store.total)
    }
    #expect(totals == [2, 1, 0, 1, 2, 3])
    history.redo()
    #expect(store.total == 3)
  }

  @Test("takes back changes that nobody is told of, and loses none")
  func silently() {
    let history = store.undoHistory(of: \.total)
    store.send(.add(1))
    store.receive(.silently { $0.total = 2 })
    history.undo()
    #expect(store.total == 1)
    history.redo()
    #expect(store.total == 2)
  }

  @Test("separates what belongs together, if it covers only one of two parts")
  func invariant() {
    // Each change writes its line, and counts it.
    func write(_ line: String) {
      store.receive(
        .set {
          $0.lines.append(line)
          $0.total = $0.lines.count
        })
    }
    let (half, whole) = (store.undoHistory(of: \.lines), store.undoHistory(of: \.self))
    for line in ["a", "b"] { write(line) }
    whole.undo()
    #expect(store.lines.count == store.total)
    half.undo()
    #expect(store.lines.count != store.total)
  }

  @Test("asks no middleware and makes no action: the log has its steps as changes that no action made")
  func noAction() {
    let asked = Note(0)
    store.install(
      Middleware { _, action in
        asked.change { $0 += 1 }
        return action
      })
    store.startRecording()
    let history = store.undoHistory(of: \.total)
    store.send(.add(1))
    history.undo()
    #expect(asked.value == 1)
    #expect(store.actionLog?.changes == [.action(.add(1)), .state(Board())])
  }

  @Test("notices only its part, and leaves the rest alone")
  func part() {
    let history = store.undoHistory(of: \.total)
    store.send([.add(1), .log("a")])
    store.send(.log("b"))
    #expect(history.undoCount == 1)
    history.undo()
    #expect(store.state == Board(lines: ["a", "b"]))
  }

  @Test("forgets what was taken back when something new happens")
  func newChange() {
    let history = store.undoHistory(of: \.total)
    store.send(.add(1))
    history.undo()
    store.send(.add(5))
    #expect(!history.canRedo)
    history.undo()
    #expect(store.total == 0)
  }

  @Test("takes the changes of a group as one, also of groups inside it")
  func groups() {
    let history = store.undoHistory(of: \.total)
    history.group {
      store.send(.add(1))
      history.group { store.send(.add(1)) }
      store.receive(.set(\.total, to: 10))
    }
    history.group { store.send(.log("nothing of its own")) }
    store.send(.add(1))
    #expect(history.undoCount == 2)
    history.undo()
    #expect(store.total == 10)
    history.undo()
    #expect(store.total == 0)
    history.redo()
    #expect(store.total == 10)
  }

  @Test("ends a group that is open when it takes back")
  func openGroup() {
    let history = store.undoHistory(of: \.total)
    history.beginGroup()
    store.send(.add(1))
    store.send(.add(1))
    history.undo()
    #expect(store.total == 0)
    history.endGroup()
    #expect(!history.canUndo)
  }

  @Test("has no step of a group that has changed nothing in the end")
  func groupWithoutChange() {
    let history = store.undoHistory(of: \.total)
    history.group { for number in [1, -1] { store.send(.add(number)) } }
    #expect(!history.canUndo)
  }

  @Test("is cleared of a group that is open, too")
  func clearedGroup() {
    let history = store.undoHistory(of: \.total)
    history.beginGroup()
    store.send(.add(1))
    history.clear()
    #expect(!history.canUndo)
    history.endGroup()
    #expect(!history.canUndo)
  }

  @Test("ignores the end of a group that was not begun")
  func endOfNoGroup() {
    let history = store.undoHistory(of: \.total)
    history.endGroup()
    for _ in 1...2 { store.send(.add(1)) }
    #expect(history.undoCount == 2)
  }

  private final class Page: Equatable, Sendable {
    static func == (left: Page, right: Page) -> Bool { left === right }
  }

  @Test("gives up its steps when it is let go of, though its store lives on")
  func release() {
    let store = AsyncStore(state: Page(), env: ())
    var history: UndoHistory<Page>? = store.undoHistory(of: \.self)
    weak let first = store.state
    store.receive(.set { $0 = Page() })
    #expect(history?.undoCount == 1 && first != nil)
    history = nil
    #expect(first == nil)
  }

  @Test("counts a group that is open as far as it could be taken back")
  func countOfOpenGroup() {
    let history = store.undoHistory(of: \.total, limit: 2)
    history.beginGroup()
    #expect(!history.canUndo)
    store.send(.add(1))
    #expect(history.canUndo)
    #expect(history.undoCount == 1)
    store.send(.add(-1))
    #expect(!history.canUndo)
    history.endGroup()
    for _ in 1...2 { store.send(.add(1)) }
    history.group {
      store.send(.add(1))
      #expect(history.undoCount == 2)
    }
    #expect(history.undoCount == 2)
  }

  @Test("takes a transaction as one step")
  func transactions() {
    let history = store.undoHistory(of: \.self)
    store.begin(
      StateTransaction("both") { state in
        state.total += 1
        state.lines.append("a")
      })
    history.undo()
    #expect(store.state == Board())
  }

  @Test("of an element by its index remembers nothing, and never asks a state that does not have it")
  func elementByIndex() {
    let store = BoardStore(Board(items: [Board.Item(id: 1)]))
    let history = store.undoHistory(of: \.items[0].cell.count)
    store.send(.item(1, .increment))
    store.receive(.set(\.items, to: []))
    #expect(!history.canUndo)
  }

  @Test("of a store that is not active takes back what changes once it is")
  func inactiveStore() {
    store.deactivate()
    let history = store.undoHistory(of: \.total)
    store.activate()
    store.send(.add(1))
    #expect(history.undoCount == 1)
    history.undo()
    #expect(store.total == 0)
  }

  @Test("keeps no more steps than its limit")
  func limit() {
    let history = store.undoHistory(of: \.total, limit: 2)
    for _ in 1...5 { store.send(.add(1)) }
    while history.canUndo { history.undo() }
    #expect(store.total == 3)
    history.clear()
    #expect(!history.canRedo)
  }

  @Test("keeps nothing alive, and ends when it is let go of")
  func lifetime() {
    var store: BoardStore? = BoardStore()
    weak let gone = store
    let history = store?.undoHistory(of: \.total)
    store?.send(.add(1))
    store = nil
    #expect(gone == nil)
    history?.undo()
    #expect(history?.canUndo == false)
  }
}
