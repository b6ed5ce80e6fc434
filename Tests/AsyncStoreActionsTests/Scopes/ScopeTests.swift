import Observation
import Testing

@testable import AsyncStore
@testable import AsyncStoreActions

@Suite("A scope")
struct ScopeTests {
  let store = BoardStore(
    Board(cells: ["a": Cell(), "b": Cell(count: 5)], items: [Board.Item(id: 1), Board.Item(id: 2)]))

  @Test("The values of a scope of an inactive store end after the current one", .timeLimit(.minutes(10)))
  func valuesOfAnInactiveStore() async {
    let store = BoardStore(Board(left: Cell(count: 3)))
    store.deactivate()
    var counts: [Int?] = []
    for await value in store.scope(\.left, actions: Board.Action.left).values() { counts.append(value?.count) }
    #expect(counts == [3])
  }

  @Test("A scope is no longer observed once nobody reads its values")
  func readersGone() {
    let store = BoardStore()
    do {
      let values = store.scope(\.left, actions: Board.Action.left).values()
      withExtendedLifetime(values) { #expect(store.runtime.lock { !$0.observers.isEmpty }) }
    }
    #expect(store.runtime.lock { $0.observers.isEmpty })
  }

  @Test("A part of a part keeps the key of its element, even if the outer part has none")
  func keyOfAPart() {
    #expect(Part(\Board.self).appending(Part(\.cells, key: "a")).keys == EffectID("a"))
  }

  @Test("The values of a scope end at once if its store is gone", .timeLimit(.minutes(10)))
  func valuesOfAGoneStore() async throws {
    var store: BoardStore? = BoardStore()
    let scope = try #require(store?.scope(\.left, actions: Board.Action.left))
    store = nil
    for await value in scope.values() { Issue.record("a value of nothing: \(value as Any)") }
  }

  @Test("A scope reads its part of the store and sends the store's actions")
  func property() {
    let left = store.scope(\.left, actions: Board.Action.left)
    left.send(.increment)
    #expect(left.state == Cell(count: 1))
    #expect(left.count == 1)
    #expect(store.left.count == 1)
  }

  @Test("A scope passes on the actions that its part's effects send")
  func effects() {
    let handle = store.scope(\.left, actions: Board.Action.left).send(.twice)
    #expect(handle.isSettled)
    #expect(store.left.count == 2)
  }

  @Test("A scope of an optional does nothing while the optional is nil")
  func optional() {
    let guest = store.scope(optional: \.guest, actions: Board.Action.guest)
    guest.send(.increment)
    #expect(guest.state == nil)
    #expect(store.guest == nil)
    store.receive(.set(\.guest, to: Cell()))
    guest.send(.increment)
    #expect(guest.count == 1)
  }

  @Test("A scope of an optional of a part does nothing while the optional is nil")
  func optionalOfPart() {
    let board = store.scope(\.self, actions: { (action: Board.Action) in action })
    let guest = board.scope(optional: \.guest, actions: Board.Action.guest)
    guest.send(.increment)
    #expect(store.guest == nil)
    store.receive(.set(\.guest, to: Cell()))
    guest.send(.increment)
    #expect(guest.count == 1)
  }

  @Test("A scope of an element does nothing while its key is missing")
  func keyed() {
    let a = store.scope(\.cells, key: "a", actions: Board.Action.cell)
    let z = store.scope(\.cells, key: "z", actions: Board.Action.cell)
    a.send(.increment)
    z.send(.increment)
    #expect(a.count == 1)
    #expect(z.count == nil)
    #expect(store.cells == ["a": Cell(count: 1), "b": Cell(count: 5)])
    let two = store.scope(Part(\Board.items, key: 2).appending(Part(\Board.Item.cell))) { Board.Action.item(2, $0) }
    let three = store.scope(Part(\Board.items, key: 3).appending(Part(\Board.Item.cell))) { Board.Action.item(3, $0) }
    two.send([.increment, .increment])
    three.send(.increment)
    #expect(store.items == [Board.Item(id: 1), Board.Item(id: 2, cell: Cell(count: 2))])
  }

  @Test("Scopes nest to any depth")
  func nesting() {
    struct Tree: Model {
      var value = 0
      var children: [String: Tree] = [:]
      indirect enum Action: Sendable { case add(Int), child(String, Action) }
      static func update(_ state: inout Tree, _ action: Action) -> Effect {
        switch action {
        case .add(let number):
          state.value += number
          return .none
        case .child(let key, let action):
          return update(Part(\.children, key: key), of: &state, action, as: { .child(key, $0) })
        }
      }
    }
    var tree = Tree(value: 7)
    for _ in 0..<8 { tree = Tree(children: ["x": tree]) }
    let store = StoreOf<Tree>(state: tree, env: ())
    var scope = store.scope(\.children, key: "x", actions: Tree.Action.child)
    for _ in 1..<8 { scope = scope.scope(\.children, key: "x", actions: Tree.Action.child) }
    scope.send(.add(1))
    #expect(scope.value == 8)
    #expect(store.children["x"]?.children["x"]?.value == 0)
  }

  @Test("A scope keeps the effects of one element apart from those of another")
  func identifiers() {
    let a = store.scope(\.cells, key: "a", actions: Board.Action.cell)
    let b = store.scope(\.cells, key: "b", actions: Board.Action.cell)
    let first = a.send(.hold("a"))
    let second = b.send(.hold("b"))
    #expect(!first.isSettled)
    a.send(.release)
    #expect(first.outcomeIfSettled?.isCancelled == true)
    #expect(!second.isSettled)
    store.receive(.cancel(EffectID("b").appending("hold")))
    #expect(second.outcomeIfSettled?.isCancelled == true)
  }

  @Test("A scope does not keep its store alive")
  func lifetime() {
    var store: BoardStore? = BoardStore()
    weak let gone = store
    let scope = store?.scope(\.left, actions: Board.Action.left)
    store = nil
    #expect(gone == nil)
    scope?.send(.increment)
    #expect(scope?.state == nil)
  }

  @Test("The values of a scope follow its part, and are nil while the part is missing")
  func values() async {
    let values = store.scope(optional: \.guest, actions: Board.Action.guest).values()
    store.send(.add(1))
    store.receive(.set(\.guest, to: Cell()))
    store.send(.guest(.increment))
    store.receive(.set(\.guest, to: nil))
    store.deactivate()
    var counts: [Int?] = []
    for await value in values { counts.append(value?.count) }
    #expect(counts == [nil, 0, 1, nil])
  }

  @Test("Observation tracks a property of a scope by its own value")
  func observation() {
    let a = store.scope(\.cells, key: "a", actions: Board.Action.cell)
    let changes = Note(0)
    withObservationTracking {
      _ = a.count
    } onChange: {
      changes.change { $0 += 1 }
    }
    store.send(.cell("b", .increment))
    #expect(changes.value == 0)
    a.send(.increment)
    #expect(changes.value == 1)
  }

  @Test("Observation tracks the whole state of a scope by its own value, if that is equatable")
  func observationOfState() {
    let a = store.scope(\.cells, key: "a", actions: Board.Action.cell)
    let changes = Note(0)
    withObservationTracking {
      _ = a.state
    } onChange: {
      changes.change { $0 += 1 }
    }
    store.send(.cell("b", .increment))
    #expect(changes.value == 0)
    a.send(.increment)
    #expect(changes.value == 1)
  }

  @Test("A scope of an element is not computed at commits that leave its collection alone")
  func untouchedElements() {
    struct List: Model {
      typealias Action = Int
      var rows: [Int: Row]
      var selection = 0
      static func update(_ state: inout List, _ action: Int) -> Effect {
        state.selection = action
        return .none
      }
    }
    struct Row: Equatable, Sendable { var mark: Mark }
    struct Mark: Equatable, Sendable {
      let comparisons: Note<Int>
      var count = 0
      static func == (left: Mark, right: Mark) -> Bool {
        left.comparisons.change { $0 += 1 }
        return left.count == right.count
      }
    }
    let comparisons = Note(0)
    let row = Row(mark: Mark(comparisons: comparisons))
    let rows = Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, row) })
    let store = StoreOf<List>(state: List(rows: rows), env: ())
    let scopes = (0..<10).map { store.scope(\.rows, key: $0, actions: { (_, action: Int) in action }) }
    let changes = Note(0)
    withObservationTracking {
      for scope in scopes { _ = scope.mark }
    } onChange: {
      changes.change { $0 += 1 }
    }
    comparisons.change { $0 = 0 }
    for number in 1...100 { store.send(number) }
    #expect(comparisons.value == 0)
    // Each row is compared once when the collection changes, and not again after that.
    store.receive(.set { $0.rows[11] = row })
    #expect(comparisons.value == 10)
    for number in 1...100 { store.send(number) }
    #expect(comparisons.value == 10)
    #expect(changes.value == 0)
    store.receive(.set { $0.rows[5]?.mark.count = 1 })
    #expect(changes.value == 1)
  }

  @Test("A scope of an element by its index is reported with each commit, and never computed again")
  func elementsByIndex() async {
    let second = store.scope(Part(\Board.items[1])) { Board.Action.item(2, $0) }
    let changes = Note(0)
    withObservationTracking {
      _ = second.cell
    } onChange: {
      changes.change { $0 += 1 }
    }
    let values = second.values()
    store.receive(.set { $0.items.removeLast() })
    #expect(changes.value == 1)
    for await _ in values { Issue.record("the sequence has a value") }
  }

  @Test("A part is changed in place, without a copy of the whole")
  func inPlace() {
    struct Big: Model {
      typealias Action = Int
      var rows: [Int: Row] = [:]
      var copies: [Bool] = []
      struct Row: Equatable, Sendable { var values: [Int] }
      static func update(_ state: inout Big, _ action: Int) -> Effect {
        var isCopied = false
        Part(\Big.rows, key: action).modify(&state) { row in
          let before = row.values.withUnsafeBufferPointer { $0.baseAddress }
          row.values[0] += 1
          isCopied = row.values.withUnsafeBufferPointer { $0.baseAddress } != before
        }
        state.copies.append(isCopied)
        return .none
      }
    }
    let rows = Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, Big.Row(values: Array(repeating: 0, count: 100))) })
    let store = StoreOf<Big>(state: Big(rows: rows), env: ())
    for _ in 0..<3 { store.send(3) }
    // The first change may part the store's rows from those of this test, if an optimised build still has them.
    #expect(store.withState { $0.copies.dropFirst() } == [false, false])
    #expect(store.withState { $0.rows[3]?.values[0] } == 3)
  }
}
