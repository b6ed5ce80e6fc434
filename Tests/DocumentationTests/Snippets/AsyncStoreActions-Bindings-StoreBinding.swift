// swift-format-ignore-file
// Made from Sources/AsyncStoreActions/Bindings/StoreBinding.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreActions
import Testing

@Suite("Snippets of Sources/AsyncStoreActions/Bindings/StoreBinding.swift")
struct AsyncStoreActionsBindingsStoreBindingSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of StoreBinding.swift yields what its comments say") func snippet1() {
    let form = store.binding(\.query)
    form.wrappedValue = "swift"
    #expect(store.query == "swift")
  }

  @Test("Snippet 2 of StoreBinding.swift yields what its comments say") func snippet2() {
    let tally = StoreOf<Tally>(state: Tally(), env: ())
    let add = tally.function { (number: Int) in .add(number) }
    add(3)
    #expect(tally.count == 3)
  }
}
