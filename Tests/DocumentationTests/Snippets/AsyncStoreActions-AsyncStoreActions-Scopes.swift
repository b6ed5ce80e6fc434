// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/Scopes.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/Scopes.md")
struct AsyncStoreActionsAsyncStoreActionsScopesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Scopes.md yields what its comments say") func snippet1() {
    let page = StoreOf<Page>(state: Page(), env: ())
    let tally = page.scope(\.tally, actions: Page.Action.tally)
    tally.send(.add(2))
    #expect(tally.count == 2)
    #expect(page.tally.count == 2)
  }

  @Test("Snippet 2 of Scopes.md yields what its comments say") func snippet2() {
    struct Sheet: Model {
      enum Action: Sendable { case row(String, Tally.Action), total(Tally.Action) }
      var rows = ["a": Tally()]
      var total: Tally?

      static func update(_ state: inout Sheet, _ action: Action) -> Effect {
        switch action {
        case .row(let key, let action): update(Part(\.rows, key: key), of: &state, action, as: { .row(key, $0) })
        case .total(let action): update(Part(optional: \.total), of: &state, action, as: Action.total)
        }
      }
    }

    let sheet = StoreOf<Sheet>(state: Sheet(), env: ())
    let row = sheet.scope(\.rows, key: "a", actions: Sheet.Action.row)
    let missing = sheet.scope(\.rows, key: "b", actions: Sheet.Action.row)
    let total = sheet.scope(optional: \.total, actions: Sheet.Action.total)
    row.send(.add(3))
    missing.send(.add(3))
    total.send(.add(3))
    #expect(row.count == 3)
    #expect(missing.count == nil)
    #expect(total.state == nil)
    sheet.receive(.set(\.total, to: Tally()))
    total.send(.add(3))
    #expect(total.count == 3)
  }

  @Test("Snippet 3 of Scopes.md yields what its comments say") func snippet3() {
    struct Shelf: Model {
      enum Action: Sendable { case page(String, Page.Action) }
      var pages = ["front": Page()]

      static func update(_ state: inout Shelf, _ action: Action) -> Effect {
        switch action {
        case .page(let key, let action): update(Part(\.pages, key: key), of: &state, action, as: { .page(key, $0) })
        }
      }
    }

    let shelf = StoreOf<Shelf>(state: Shelf(), env: ())
    let page = shelf.scope(\.pages, key: "front", actions: Shelf.Action.page)
    let tally = page.scope(\.tally, actions: Page.Action.tally)
    tally.send(.increment)
    #expect(shelf.pages["front"]?.tally.count == 1)
  }

  @Test("Snippet 4 of Scopes.md yields what its comments say") func snippet4() {
    struct Desk: Sendable { var drawers: [String: [Int]] = ["top": [1]] }
    let top = Part(\Desk.drawers, key: "top")
    var desk = Desk()
    top.modify(&desk) { $0.append(2) }
    #expect(top.value(in: desk) == [1, 2])
    #expect(Part(\Desk.drawers, key: "bottom").value(in: desk) == nil)
  }

  @Test("Snippet 5 of Scopes.md yields what its comments say") func snippet5() async {
    let page = StoreOf<Page>(state: Page(), env: ())
    let tally = page.scope(\.tally, actions: Page.Action.tally)
    var values = tally.values().makeAsyncIterator()
    tally.send(.add(2))
    let (first, second) = (await values.next(), await values.next())
    #expect(first == Tally(count: 0))
    #expect(second == Tally(count: 2))
  }

  @Test("Snippet 6 of Scopes.md yields what its comments say") func snippet6() {
    struct Todo: Identifiable, Equatable, Sendable { let id: String; var isDone = false }
    var todos: OrderedState<Todo> = [Todo(id: "a"), Todo(id: "b"), Todo(id: "c")]
    todos.move(from: [2], to: 0)
    todos[id: "b"]?.isDone = true
    todos.append(Todo(id: "a"))
    #expect(todos.ids == ["c", "b", "a"])
    #expect(todos[1].isDone == true)
  }

  @Test("Snippet 7 of Scopes.md yields what its comments say") func snippet7() {
    let items = store.child(\.items)
    items.receive(.append("one", to: \.self))
    items.begin(StateTransaction("sort") { $0.sort() })
    #expect(store.items == ["one"])
    #expect(items.ancestor(of: Counter.self)?.items == ["one"])
  }
}
