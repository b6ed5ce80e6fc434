// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/AsyncStoreActions.docc/UsingMiddleware.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/AsyncStoreActions.docc/UsingMiddleware.md")
struct AsyncStoreActionsAsyncStoreActionsUsingMiddlewareSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of UsingMiddleware.md yields what its comments say") func snippet1() {
    let positive = Middleware<Tally> { _, action in
      if case .add(let number) = action, number < 0 { nil } else { action }
    }
    let limit = Middleware<Tally> { tally, action in
      if case .add(let number) = action { .add(min(number, 10 - tally.count)) } else { action }
    }
    let tally = StoreOf<Tally>(state: Tally(), env: (), middleware: [positive, limit])
    tally.send(.add(-1))
    tally.send(.add(7))
    tally.send(.add(7))
    #expect(tally.count == 10)
  }

  @Test("Snippet 2 of UsingMiddleware.md yields what its comments say") func snippet2() {
    struct Editor: Model {
      enum Action: Sendable { case write(String), saved(Int) }
      var text = ""
      var savedCount = 0

      static func update(_ state: inout Editor, _ action: Action) -> Effect {
        switch action {
        case .write(let text): state.text += text
        case .saved(let count): state.savedCount = count
        }
        return .none
      }
    }

    let saving = Middleware<Editor>.handling { _, action in
      guard case .write = action else { return .none }
      return .read { editor in .send(.saved(editor.text.count)) }
    }
    let editor = StoreOf<Editor>(state: Editor(), env: (), middleware: [saving])
    editor.send(.write("Hello"))
    #expect(editor.savedCount == 5)
  }

  @Test("Snippet 3 of UsingMiddleware.md yields what its comments say") func snippet3() {
    let journal = CounterStore(state: Counter(), env: service)
    let watching = Middleware<Tally>.observing { committed in
      journal.receive(.append("\(committed.before.count) to \(committed.after.count)", to: \.items))
    }
    let tally = StoreOf<Tally>(state: Tally(), env: (), middleware: [watching])
    tally.send([.increment, .add(2)])
    #expect(journal.items == ["0 to 1", "1 to 3"])
  }

  @Test("Snippet 4 of UsingMiddleware.md yields what its comments say") func snippet4() async {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    var updates = tally.updates.makeAsyncIterator()
    tally.send(.add(0))
    tally.send([.increment, .add(2)])
    let update = await updates.next()
    #expect(update?.actions == [.increment, .add(2)])
    #expect(update?.state.count == 3)
  }

  @Test("Snippet 5 of UsingMiddleware.md yields what its comments say") func snippet5() {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    let closed = tally.install(Middleware { _, _ in nil })
    tally.send(.increment)
    closed.remove()
    tally.send(.increment)
    #expect(tally.count == 1)
  }

  @Test("Snippet 6 of UsingMiddleware.md yields what its comments say") func snippet6() {
    let journal = CounterStore(state: Counter(), env: service)
    let reporting = Middleware<Tally>.reportingTransactions { report in
      journal.receive(.append("\(report.name): \(report.outcome)", to: \.items))
    }
    let tally = StoreOf<Tally>(state: Tally(), env: (), middleware: [reporting])
    tally.begin(StateTransaction("double") { $0.count *= 2 })
    #expect(journal.items == ["double: completed"])
  }
}
