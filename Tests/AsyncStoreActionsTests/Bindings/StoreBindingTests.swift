import AsyncStoreActions
import Testing

@Suite("Bindings and bound functions")
struct StoreBindingTests {
  let store = BoardStore()

  @Test("A binding reads and writes the state")
  func properties() {
    let total = store.binding(\.total)
    total.wrappedValue = 4
    #expect(store.total == 4)
    store.send(.add(1))
    #expect(total.wrappedValue == 5)
  }

  @Test("A binding sends an action when it is written")
  func actions() {
    let last = store.binding(\.lines.last, sending: { Board.Action.log($0 ?? "") })
    last.wrappedValue = "a"
    last.wrappedValue = "b"
    #expect(store.lines == ["a", "b"])
    #expect(last.wrappedValue == "b")
  }

  @Test("Bindings and bound functions can be compared by value")
  func props() {
    struct Props: Equatable {
      @StoreBinding var total: Int
      var add: ActionFunction<Int>
    }
    func props() -> Props {
      Props(
        total: store.binding(\.total, sending: { Board.Action.add($0) }),
        add: store.function { (number: Int) in .add(number) })
    }
    let first = Props(total: StoreBinding(get: { 0 }, set: { _ in }), add: props().add)
    #expect(first == props())
    props().add(2)
    #expect(first != props())
    props().$total.wrappedValue = 3
    #expect(store.total == 5)
  }

  @Test("Bound functions take zero to six parameters")
  func functions() {
    let none = store.function(.add(1))
    let two = store.function { (a: Int, b: Int) in .add(a * b) }
    let six = store.function { (a: Int, b: Int, c: Int, d: Int, e: Int, f: Int) in .add(a + b + c + d + e + f) }
    none()
    two(2, 5)
    six(1, 2, 3, 4, 5, 6)
    #expect(store.total == 32)
  }
}
