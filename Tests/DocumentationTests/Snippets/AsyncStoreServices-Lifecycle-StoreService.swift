// swift-format-ignore-file
// Made from Sources/AsyncStoreServices/Lifecycle/StoreService.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import Testing

@Suite("Snippets of Sources/AsyncStoreServices/Lifecycle/StoreService.swift")
struct AsyncStoreServicesLifecycleStoreServiceSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of StoreService.swift yields what its comments say") func snippet1() async throws {
    let service = StoreService(["orders": store], counting: ["order"])
    let (payments, payment) = AsyncStream.makeStream(of: Int.self)
    let charge = CounterStore.Effect.task {
      for await amount in payments { return .set(\.count, to: amount) }
      return .none
    }
    store.receive(charge.id(EffectID("order").appending(7)))
    #expect(service.health.stores[0].inFlightByPrefix == ["order": 1])
    payment.yield(3)
    try await service.shutdown()
    #expect(store.count == 3)
    #expect(service.health.isReady == false)
  }
}
#endif
