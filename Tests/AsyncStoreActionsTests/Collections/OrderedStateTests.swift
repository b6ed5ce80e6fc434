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

    @Test("An ordered state keeps its elements in order, with each identity once")
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

    @Test("Inserting an element again moves and replaces it, and the index counts places before the move")
    func insertAgain() {
      var state = rows("abcd")
      state.insert(Row(id: "a", text: "new"), at: 3)
      #expect(names(state) == "bcad")
      #expect(state[id: "a"]?.text == "new")
      state.insert([Row(id: "d"), Row(id: "x")], at: 1)
      #expect(names(state) == "bdxca")
      state.insert(Row(id: "a"), at: 5)
      #expect(names(state) == "bdxca")
    }

    @Test("Creating or inserting many elements at once equals inserting them one by one, even with duplicates")
    func manyAtOnce() {
      var generator = SplitMix64(seed: 5)
      for round in 0..<2_000 {
        let first = randomRows("first", using: &generator)
        var (state, model) = (OrderedState(first), Self.inserting(first, into: [], at: 0))
        #expect(state.values == model, "round \(round)")
        let second = randomRows("second", using: &generator)
        let index = Int.random(in: 0...model.count, using: &generator)
        state.insert(second, at: index)
        model = Self.inserting(second, into: model, at: index)
        #expect(state.values == model, "round \(round)")
        #expect(model.indices.allSatisfy { state.index(of: model[$0].id) == $0 }, "round \(round)")
      }
    }

    private func randomRows(_ name: String, using generator: inout SplitMix64) -> [Row] {
      (0..<Int.random(in: 0...8, using: &generator)).map { number in
        Row(id: String(Int.random(in: 0..<10, using: &generator)), text: "\(name) \(number)")
      }
    }

    /// Returns the rows with new ones, inserted one by one.
    private static func inserting(_ new: [Row], into rows: [Row], at index: Int) -> [Row] {
      var (rows, place) = (rows, index)
      for row in new {
        if let old = rows.firstIndex(where: { $0.id == row.id }) {
          rows.remove(at: old)
          if old < place { place -= 1 }
        }
        rows.insert(row, at: place)
        place += 1
      }
      return rows
    }

    @Test("An ordered state takes a hundred thousand elements at once, even if all of them are duplicates")
    func size() throws {
      struct Number: Identifiable, Codable, Equatable { let id: Int }
      let numbers = (0..<100_000).map { Number(id: $0) }
      var state = OrderedState(numbers + numbers)
      #expect(state.values == numbers)
      state.insert((50_000..<150_000).map { Number(id: $0) }, at: 10)
      #expect(state.ids == Array(0..<10) + Array(50_000..<150_000) + Array(10..<50_000))
      let data = try JSONEncoder().encode(numbers + numbers)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(OrderedState<Number>.self, from: data) }
    }

    @Test("An ordered state is read and written by identity and by index")
    func access() {
      var state = rows("abc")
      state[id: "b"]?.text = "text"
      #expect(state[1].text == "text")
      state[id: "b"] = nil
      state[id: "q"] = Row(id: "q")
      #expect(names(state) == "acq")
      state[0].text = "first"
      #expect(state[id: "a"]?.text == "first")
      state[1] = Row(id: "n")
      #expect(names(state) == "anq")
      #expect(state.index(of: "q") == 2)
      #expect(state[id: "missing"] == nil)
      #expect(!state.contains(id: "c"))
    }

    @Test("An ordered state removes elements by identity, by index and by condition")
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

    @Test("An ordered state moves elements as a list's `onMove` does")
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

    @Test("An ordered state is a random-access collection after any sequence of edits")
    func laws() {
      var generator = SplitMix64(seed: 7)
      var state = OrderedState<Row>()
      var model: [String] = []
      for _ in 0..<2_000 {
        edit(&state, &model, using: &generator)
        #expect(state.ids == model)
        #expect(model.enumerated().allSatisfy { state[id: $1]?.id == $1 && state.index(of: $1) == $0 })
        expectCollectionLaws(of: state, equalTo: model.map { Row(id: $0) })
      }
    }

    /// Makes one edit, to the state and to an array of its identities.
    private func edit(_ state: inout OrderedState<Row>, _ model: inout [String], using generator: inout SplitMix64) {
      let id = String(Int.random(in: 0..<12, using: &generator))
      switch Int.random(in: 0..<10, using: &generator) {
      case 0, 1:
        state.append(Row(id: id))
        model.removeAll { $0 == id }
        model.append(id)
      case 2, 3:
        var index = Int.random(in: 0...model.count, using: &generator)
        state.insert(Row(id: id), at: index)
        if let old = model.firstIndex(of: id) {
          model.remove(at: old)
          if old < index { index -= 1 }
        }
        model.insert(id, at: index)
      case 4:
        state.remove(id: id)
        model.removeAll { $0 == id }
      case 5 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &generator)
        let to = Int.random(in: 0...model.count, using: &generator)
        state.move(from: [index], to: to)
        let moved = model.remove(at: index)
        model.insert(moved, at: to > index ? to - 1 : to)
      case 6 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &generator)
        let other = Int.random(in: 0..<model.count, using: &generator)
        state.swapAt(index, other)
        model.swapAt(index, other)
      case 7 where !model.isEmpty && !model.contains(id):
        let index = Int.random(in: 0..<model.count, using: &generator)
        state[index] = Row(id: id)
        model[index] = id
      case 8:
        state.reverse()
        model.reverse()
      default:
        state.sort { $0.id < $1.id }
        model.sort()
      }
    }

    @Test("Sorting, reversing, shuffling, swapping or partitioning an ordered state keeps every element")
    func rearranging() {
      var state = rows("hgfedcba")
      state.swapAt(0, 7)
      #expect(names(state) == "agfedcbh")
      state.swapAt(3, 3)
      state.reverse()
      #expect(names(state) == "hbcdefga")
      state.sort { $0.id < $1.id }
      #expect(names(state) == "abcdefgh")
      var generator = SplitMix64(seed: 3)
      state.shuffle(using: &generator)
      #expect(names(state) != "abcdefgh")
      #expect(Set(state.ids) == Set("abcdefgh".map { String($0) }))
      let pivot = state.partition { $0.id > "e" }
      #expect(pivot == 5)
      #expect(Set(state[..<pivot].map(\.id)) == ["a", "b", "c", "d", "e"])
      #expect(Set(state[pivot...].map(\.id)) == ["f", "g", "h"])
      state.shuffle()
      #expect(state.allSatisfy { state[id: $0.id] == $0 })
    }

    @Test("Sorting an ordered state keeps the order of equal elements")
    func stableSorting() {
      var state = OrderedState((0..<200).map { Row(id: "\($0)", text: "\($0 % 3)") })
      state.sort { $0.text < $1.text }
      for rest in ["0", "1", "2"] {
        let places = state.filter { $0.text == rest }.compactMap { Int($0.id) }
        #expect(places == places.sorted())
      }
    }

    @Test("Changing the identity of an element in place traps, and says what to do")
    func changedIdentity() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        struct Name: Identifiable, Sendable { var id: String }
        var state: OrderedState = [Name(id: "a"), Name(id: "b")]
        state.modifyValue(for: "b") { $0.id = "c" }
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("b was changed to c in place. To change an identity, remove the element"))
    }

    @Test("Setting an element at one index that is already at another traps, and says what to do")
    func takenIdentity() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        struct Name: Identifiable, Sendable { let id: String }
        var state: OrderedState = [Name(id: "a"), Name(id: "b")]
        state[0] = Name(id: "b")
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("b is already in the collection, at another index. Remove that element first."))
    }

    @Test("An ordered state is encoded as a list, and decoded to an equal state")
    func coding() throws {
      let state = rows("cab")
      let data = try JSONEncoder().encode(state)
      #expect(try JSONDecoder().decode([Row].self, from: data).map(\.id) == ["c", "a", "b"])
      #expect(try JSONDecoder().decode(OrderedState<Row>.self, from: data) == state)
    }

    @Test("An ordered state is not decoded from a list with a duplicate identity")
    func duplicates() throws {
      let data = try JSONEncoder().encode([Row(id: "a"), Row(id: "b"), Row(id: "a")])
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(OrderedState<Row>.self, from: data) }
    }

    @Test("A scope finds an element of an ordered state by its identity")
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
