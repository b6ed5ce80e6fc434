// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Requests/RequestScope.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Requests/RequestScope.swift")
struct AsyncStoreServicesRequestsRequestScopeSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of RequestScope.swift yields what its comments say") func snippet1() async throws {
    let requests = RequestScope(store, under: "request", atMost: 1)
    let first = try requests.receive(.sleep(.seconds(60)))
    do {
      try await requests.run(.set(\.count, to: 1))
    } catch let error as StoreServiceError {
      #expect(error.code == .busy)
    }
    store.receive(.cancel(prefix: "request"))
    #expect(await first.outcome.isCancelled == true)
  }
}
#endif
