// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Middleware/Middleware.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Middleware/Middleware.swift")
struct AsyncStoreActionsMiddlewareMiddlewareSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Middleware.swift yields what its comments say") func snippet1() {
    let clamp = Middleware<Tally> { _, action in
      if case .add(let number) = action { number < 0 ? nil : .add(min(number, 10)) } else { action }
    }
    let tally = StoreOf<Tally>(state: Tally(), env: (), middleware: [clamp])
    tally.send([.add(-1), .add(100)])
    #expect(tally.count == 10)
  }

  @Test("Snippet 2 of Middleware.swift yields what its comments say") func snippet2() {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    let stop = tally.install(Middleware { _, _ in nil })
    tally.send(.increment)
    stop.remove()
    tally.send(.increment)
    #expect(tally.count == 1)
  }
}
