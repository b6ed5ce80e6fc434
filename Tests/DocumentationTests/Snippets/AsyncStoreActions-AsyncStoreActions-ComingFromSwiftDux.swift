// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/ComingFromSwiftDux.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/ComingFromSwiftDux.md")
struct AsyncStoreActionsAsyncStoreActionsComingFromSwiftDuxSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ComingFromSwiftDux.md yields what its comments say") func snippet1() {
    struct Todo: Identifiable, Equatable, Sendable { let id: String; var text = "" }
    enum TodoAction: Sendable { case add(Todo), remove(at: Int), move(from: Int, to: Int) }
    struct TodoApp: Model {
      enum Action: Sendable { case todos(TodoAction), rename(String) }
      var name = ""
      var todos: OrderedState<Todo> = []

      static let reducer =
        Reducer<OrderedState<Todo>, TodoAction, Void> { todos, action in
          switch action {
          case .add(let todo): todos.append(todo)
          case .remove(let index): todos.remove(at: index)
          case .move(let index, let destination): todos.move(from: [index], to: destination)
          }
          return .none
        }.pullback(
          to: Part(\TodoApp.todos),
          actions: ActionCase(embed: Action.todos) { if case .todos(let action) = $0 { action } else { nil } })
        + Reducer { app, action in
          if case .rename(let name) = action { app.name = name }
          return .none
        }

      static func update(_ state: inout TodoApp, _ action: Action) -> Effect { reducer.reduce(&state, action) }
    }

    let app = StoreOf<TodoApp>(state: TodoApp(), env: ())
    app.send([.todos(.add(Todo(id: "a"))), .todos(.add(Todo(id: "b"))), .todos(.move(from: 1, to: 0)), .rename("mine")])
    #expect(app.todos.map(\.id) == ["b", "a"])
    #expect(app.name == "mine")
  }

  @Test("Snippet 2 of ComingFromSwiftDux.md yields what its comments say") func snippet2() async {
    let locations = AsyncStream<String> { continuation in
      continuation.yield("here")
      continuation.yield("there")
      continuation.finish()
    }
    let handle = store.receive(
      .concatenate(.forEach(locations) { .append($0, to: \.items) }, .append("arrived", to: \.items)))
    _ = await handle.outcome
    #expect(store.items == ["here", "there", "arrived"])
  }

  @Test("Snippet 3 of ComingFromSwiftDux.md yields what its comments say") func snippet3() async throws {
    store.bind(id: "query", to: \.query, strategy: .latest) { query in
      query.isEmpty ? .none : .debounce({ .append(query, to: \.items) }, for: .milliseconds(1), id: "search")
    }
    store.receive(.set(\.query, to: "todo"))
    try await store.wait(for: \.items, toEqual: ["todo"])
    #expect(store.items == ["todo"])
  }

  @Test("Snippet 4 of ComingFromSwiftDux.md yields what its comments say") func snippet4() {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    let count = tally.binding(\.count, sending: { Tally.Action.add($0) })
    let submit = tally.function(.increment)
    count.wrappedValue = 4
    submit()
    #expect(count.wrappedValue == 5)
  }
}
