// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Health/ServiceHealth.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import Foundation
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Health/ServiceHealth.swift")
struct AsyncStoreServicesHealthServiceHealthSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ServiceHealth.swift yields what its comments say") func snippet1() throws {
    let service = StoreService(["orders": store])
    store.receive(.sleep(.seconds(60)))
    let health = service.health
    #expect(health.isReady == true)
    #expect(health.stores[0].inFlightCount == 1)
    let page = String(decoding: try JSONEncoder().encode(health), as: UTF8.self)
    #expect(page.contains("active") == true)
    store.deactivate()
    #expect(service.health.phase == .inactive)
  }
}
#endif
