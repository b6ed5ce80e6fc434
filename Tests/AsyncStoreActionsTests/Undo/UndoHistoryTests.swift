import AsyncStoreActions
import Testing

@Suite("A history")
struct UndoHistoryTests {
  let store = BoardStore()

  @Test("A history undoes and redoes each change")
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

  @Test("A history undoes and redoes silent changes")
  func silently() {
    let history = store.undoHistory(of: \.total)
    store.send(.add(1))
    store.receive(.silently { $0.total = 2 })
    history.undo()
    #expect(store.total == 1)
    history.redo()
    #expect(store.total == 2)
  }

  /// A value that is stored in another unit, and one with limits.
  struct Dial: Sendable {
    var radians = 0.7000000000000001
    var degrees: Double {
      get { radians * 180 / .pi }
      set { radians = newValue * .pi / 180 }
    }
    var volume = 20
    var limited: Int {
      get { volume }
      set { volume = min(newValue, 10) }
    }
  }

  @Test("A history gets past values that a setter stores differently, and can redo what follows them")
  func inexactSetters() {
    let store = AsyncStore(state: Dial(), env: ())
    let first = store.degrees
    let (degrees, limited) = (store.undoHistory(of: \.degrees), store.undoHistory(of: \.limited))
    for number in 1...3 {
      store.receive(.set(\.radians, to: Double(number) / 10))
      store.receive(.set(\.volume, to: number))
    }
    for count in [2, 1, 0] {
      for history in [degrees.undo(), limited.undo()] { #expect(history.outcomeIfSettled?.isFinished == true) }
      #expect(degrees.undoCount == count && degrees.redoCount == 3 - count)
      #expect(limited.undoCount == count && limited.redoCount == 3 - count)
    }
    #expect(abs(store.degrees - first) < 1e-9 && store.degrees != first)
    #expect(store.volume == 10, "20 is beyond the limit")
    while degrees.canRedo { degrees.redo() }
    while limited.canRedo { limited.redo() }
    #expect(abs(store.radians - 0.3) < 1e-9 && store.volume == 3)
  }

  @Test("A history that covers only one of two related parts separates them")
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

  @Test("Undo sends no action, so middleware does not see it and the action log records a state")
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

  @Test("A history notices only changes of its part, and leaves the rest alone")
  func part() {
    let history = store.undoHistory(of: \.total)
    store.send([.add(1), .log("a")])
    store.send(.log("b"))
    #expect(history.undoCount == 1)
    history.undo()
    #expect(store.state == Board(lines: ["a", "b"]))
  }

  @Test("A new change makes a history forget what it could redo")
  func newChange() {
    let history = store.undoHistory(of: \.total)
    store.send(.add(1))
    history.undo()
    store.send(.add(5))
    #expect(!history.canRedo)
    history.undo()
    #expect(store.total == 0)
  }

  @Test("A history undoes and redoes a group of changes as one, including nested groups")
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

  @Test("Undo ends an open group")
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

  @Test("A history has no step for a group that has changed nothing in the end")
  func groupWithoutChange() {
    let history = store.undoHistory(of: \.total)
    history.group { for number in [1, -1] { store.send(.add(number)) } }
    #expect(!history.canUndo)
  }

  @Test("Clearing a history also clears an open group")
  func clearedGroup() {
    let history = store.undoHistory(of: \.total)
    history.beginGroup()
    store.send(.add(1))
    history.clear()
    #expect(!history.canUndo)
    history.endGroup()
    #expect(!history.canUndo)
  }

  @Test("A history ignores the end of a group that was not begun")
  func endOfNoGroup() {
    let history = store.undoHistory(of: \.total)
    history.endGroup()
    for _ in 1...2 { store.send(.add(1)) }
    #expect(history.undoCount == 2)
  }

  private final class Page: Equatable, Sendable {
    static func == (left: Page, right: Page) -> Bool { left === right }
  }

  @Test("A history that is released gives up its steps, even if its store lives on")
  func release() {
    let store = AsyncStore(state: Page(), env: ())
    var history: UndoHistory<Page>? = store.undoHistory(of: \.self)
    weak let first = store.state
    store.receive(.set { $0 = Page() })
    #expect(history?.undoCount == 1 && first != nil)
    history = nil
    #expect(first == nil)
  }

  @Test("The undo count includes an open group only if it has something to undo")
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

  @Test("A history records a transaction as one step")
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

  @Test("A history of an element by its index records nothing, and never reads a state without that element")
  func elementByIndex() {
    let store = BoardStore(Board(items: [Board.Item(id: 1)]))
    let history = store.undoHistory(of: \.items[0].cell.count)
    store.send(.item(1, .increment))
    store.receive(.set(\.items, to: []))
    #expect(!history.canUndo)
  }

  @Test("A history of an inactive store records changes once the store is active")
  func inactiveStore() {
    store.deactivate()
    let history = store.undoHistory(of: \.total)
    store.activate()
    store.send(.add(1))
    #expect(history.undoCount == 1)
    history.undo()
    #expect(store.total == 0)
  }

  @Test("A history keeps no more steps than its limit")
  func limit() {
    let history = store.undoHistory(of: \.total, limit: 2)
    for _ in 1...5 { store.send(.add(1)) }
    while history.canUndo { history.undo() }
    #expect(store.total == 3)
    history.clear()
    #expect(!history.canRedo)
  }

  @Test("A history does not keep its store alive, and does nothing once the store is gone")
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
