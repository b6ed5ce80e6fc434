// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Requests/BoundedValues.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Requests/BoundedValues.swift")
struct AsyncStoreServicesRequestsBoundedValuesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of BoundedValues.swift yields what its comments say") func snippet1() async throws {
    var reader = store.values(of: \.count, failingBehind: 2).makeAsyncIterator()
    for count in 1...3 { store.receive(.set(\.count, to: count)) }
    do {
      _ = try await reader.next()
    } catch {
      #expect(error.code == .slowReader)
    }
  }
}
#endif
