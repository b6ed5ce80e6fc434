#if Actions
  import AsyncStoreActions
  import Foundation
  import Testing

  @Suite("An ordered state")
  struct OrderedStateTests {
    struct Row: Identifiable, Equatable, Sendable, Codable {
      let id: String
      var text = ""
    }

    private func rows(_ names: String) -> OrderedState<Row> { OrderedState(names.map { Row(id: String($0)) }) }
    private func names(_ state: OrderedState<Row>) -> String { state.map(\.id).joined() }

    @Test("keeps its elements in order, each identity once")
    func order() {
      var state = rows("abc")
      state.append(Row(id: "d"))
      state.prepend(Row(id: "z"))
      state.insert(Row(id: "m"), at: 2)
      #expect(names(state) == "zambcd")
      state.append(Row(id: "a"))
      #expect(names(state) == "zmbcda")
      #expect(names(OrderedState([Row(id: "a"), Row(id: "b"), Row(id: "a")])) == "ba")
    }

    @Test("moves and replaces an element that is inserted again, counting places before the move")
    func insertAgain() {
      var state = rows("abcd")
      state.insert(Row(id: "a", text: "new"), at: 3)
      #expect(names(state) == "bcad")
      #expect(state["a"]?.text == "new")
      state.insert([Row(id: "d"), Row(id: "x")], at: 1)
      #expect(names(state) == "bdxca")
      state.insert(Row(id: "a"), at: 5)
      #expect(names(state) == "bdxca")
    }

    @Test("is read and written by identity and by index")
    func access() {
      var state = rows("abc")
      state["b"]?.text = "text"
      #expect(state[1].text == "text")
      state["b"] = nil
      state["q"] = Row(id: "q")
      #expect(names(state) == "acq")
      state[0].text = "first"
      #expect(state["a"]?.text == "first")
      state[1] = Row(id: "n")
      #expect(names(state) == "anq")
      #expect(state.index(of: "q") == 2)
      #expect(state["missing"] == nil)
      #expect(!state.contains(id: "c"))
    }

    @Test("removes by identity, index and condition")
    func removing() {
      var state = rows("abcdefgh")
      #expect(state.remove(id: "a")?.id == "a")
      #expect(state.remove(id: "a") == nil)
      #expect(state.remove(at: 0).id == "b")
      state.remove(at: IndexSet([0, 2]))
      #expect(names(state) == "dfgh")
      state.removeAll { $0.id == "g" }
      #expect(names(state) == "dfh")
      state.removeAll()
      #expect(state.isEmpty)
    }

    @Test("moves elements as a list's onMove does")
    func moving() {
      for (from, to, result) in [
        ([0], 3, "bcade"), ([0], 1, "abcde"), ([4], 0, "eabcd"), ([1, 3], 5, "acebd"), ([1, 3], 0, "bdace"),
        ([0, 4], 2, "baecd"), ([2], 2, "abcde"), ([], 3, "abcde"),
      ] {
        var state = rows("abcde")
        state.move(from: IndexSet(from), to: to)
        #expect(names(state) == result, "\(from) to \(to)")
      }
    }

    @Test("agrees with an array after any sequence of edits")
    func model() {
      var generator = SplitMix64(seed: 7)
      var state = OrderedState<Row>()
      var model: [String] = []
      for _ in 0..<2_000 {
        let id = String(Int.random(in: 0..<12, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
          state.append(Row(id: id))
          model.removeAll { $0 == id }
          model.append(id)
        case 1:
          var index = Int.random(in: 0...model.count, using: &generator)
          state.insert(Row(id: id), at: index)
          if let old = model.firstIndex(of: id) {
            model.remove(at: old)
            if old < index { index -= 1 }
          }
          model.insert(id, at: index)
        case 2:
          state.remove(id: id)
          model.removeAll { $0 == id }
        case 3 where !model.isEmpty:
          let index = Int.random(in: 0..<model.count, using: &generator)
          let to = Int.random(in: 0...model.count, using: &generator)
          state.move(from: [index], to: to)
          let moved = model.remove(at: index)
          model.insert(moved, at: to > index ? to - 1 : to)
        default:
          state.sort { $0.id < $1.id }
          model.sort()
        }
        #expect(state.ids == model)
        #expect(model.allSatisfy { state[$0]?.id == $0 })
      }
    }

    @Test("survives being encoded, as a list")
    func coding() throws {
      let state = rows("cab")
      let data = try JSONEncoder().encode(state)
      #expect(try JSONDecoder().decode([Row].self, from: data).map(\.id) == ["c", "a", "b"])
      #expect(try JSONDecoder().decode(OrderedState<Row>.self, from: data) == state)
    }

    @Test("is scoped by identity")
    func scoping() {
      struct List: Model {
        enum Action: Sendable { case cell(Int, Cell.Action) }
        struct Item: Identifiable, Equatable, Sendable {
          let id: Int
          var cell = Cell()
        }
        var items: OrderedState<Item> = [Item(id: 2), Item(id: 1)]
        static func update(_ state: inout List, _ action: Action) -> Effect {
          switch action {
          case .cell(let id, let action):
            let part = Part(\List.items, key: id).appending(Part(\Item.cell))
            return update(part, of: &state, action, as: { .cell(id, $0) })
          }
        }
      }
      let store = StoreOf<List>(state: List(), env: ())
      store.scope(Part(\List.items, key: 1).appending(Part(\List.Item.cell))) { List.Action.cell(1, $0) }.send(.twice)
      store.send(.cell(9, .increment))
      #expect(store.items.map(\.cell.count) == [0, 2])
    }
  }
#endif
