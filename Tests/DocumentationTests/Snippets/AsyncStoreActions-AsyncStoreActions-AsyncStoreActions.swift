// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/AsyncStoreActions.md. Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/AsyncStoreActions.md")
struct AsyncStoreActionsAsyncStoreActionsAsyncStoreActionsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("snippet 1") func snippet1() async throws {
    struct Search: Model {
      enum Action: Sendable { case type(String), found([String]) }
      typealias Environment = UserService
      var query = ""
      var hits: [String] = []

      static func update(_ state: inout Search, _ action: Action) -> Effect {
        switch action {
        case .type(let text):
          state.query = text
          return .perform(id: "search") { service in .send(.found(try await service.items())) }
        case .found(let items):
          state.hits = items
          return .none
        }
      }
    }

    let search = StoreOf<Search>(state: Search(), env: service)
    await search.run(.type("books"))
    #expect(search.hits == ["one", "two"])
  }

  @Test("snippet 2") func snippet2() {
    struct Desk: Sendable { var drawers: [String: Int] = ["top": 1] }
    let top = Part(\Desk.drawers, key: "top")
    var desk = Desk()
    top.modify(&desk) { $0 += 1 }
    #expect(top.value(in: desk) == 2)
    #expect(Part(\Desk.drawers, key: "bottom").value(in: desk) == nil)
  }

  @Test("snippet 3") func snippet3() {
    struct Sheet: Model {
      enum Action: Sendable { case row(String, Tally.Action) }
      var rows = ["a": Tally()]

      static func update(_ state: inout Sheet, _ action: Action) -> Effect {
        switch action {
        case .row(let key, let action):
          update(Part(\.rows, key: key), of: &state, action, as: { .row(key, $0) })
        }
      }
    }

    let sheet = StoreOf<Sheet>(state: Sheet(), env: ())
    let row = sheet.scope(\.rows, key: "a", actions: Sheet.Action.row)
    let missing = sheet.scope(\.rows, key: "b", actions: Sheet.Action.row)
    row.send(.add(3))
    missing.send(.add(3))
    #expect(row.count == 3)
    #expect(missing.count == nil)
    #expect(sheet.rows.count == 1)
  }

  @Test("snippet 4") func snippet4() throws {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    tally.record(checkpointEvery: 1)
    for number in 1...4 { tally.send(.add(number)) }
    let log = try #require(tally.actionLog)
    let copy = try ActionLog<Tally>(jsonLines: try log.jsonLines())
    let last = try copy.replay()
    try tally.travel(to: 2)
    #expect(last.count == 10)
    #expect(tally.count == 3)
  }

  @Test("snippet 5") func snippet5() {
    struct Basket: Equatable, Sendable { var items: [String] = [], total = 0 }
    struct Shop: Sendable { var basket = Basket(), visits = 0 }
    let shop = AsyncStore(state: Shop(), env: ())
    let (items, basket) = (shop.undoHistory(of: \.basket.items), shop.undoHistory(of: \.basket))
    shop.receive(.set { $0.basket = Basket(items: ["tea"], total: 4) })
    items.undo()
    #expect(shop.basket == Basket(items: [], total: 4))
    basket.undo()
    basket.undo()
    #expect(shop.basket == Basket())
  }

  @Test("snippet 6") func snippet6() {
    struct Page: Equatable, Sendable { var text = "" }
    struct Book: Sendable { var page: Page? = Page() }
    let book = AsyncStore(state: Book(), env: ())
    let page = book.child(Part(optional: \Book.page))
    let history = page.undoHistory()
    page.receive(.set(\.text, to: "Once"))
    book.receive(.set(\.page, to: nil))
    history.undo()
    #expect(book.page == nil)
    book.receive(.set(\.page, to: Page(text: "Once")))
    history.undo()
    #expect(page.text == "")
  }
}
