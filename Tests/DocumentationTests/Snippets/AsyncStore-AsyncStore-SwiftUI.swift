// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/SwiftUI.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/SwiftUI.md")
struct AsyncStoreAsyncStoreSwiftUISnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 9 of SwiftUI.md yields what its comments say") func snippet9() async throws {
    struct Field: Sendable { var query = "", isLoading = false }

    try await simulate { simulation in
      let store = simulation.store(Field(), env: (), isolation: MainActor.shared)
      let search: AsyncStore<Field, Void>.Effect = .concatenate(.set(\.isLoading, to: true), .sleep(.seconds(1)))
      await MainActor.run {
        store.receive(.set(\.query, to: "swift"))
        store.receive(search.finally(.set(\.isLoading, to: false)).debounce(for: .milliseconds(300), id: "search"))
      }
      #expect(store.query == "swift")
      await simulation.clock.advance(by: .milliseconds(300))
      #expect(store.isLoading == true)
      await simulation.clock.run()
      #expect(store.isLoading == false)
    }
  }
}
