// swift-format-ignore-file
// Made from Sources/AsyncStore/Effect/Effect+Retry.swift.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/Effect/Effect+Retry.swift")
struct AsyncStoreEffectEffectRetrySnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Effect+Retry.swift yields what its comments say") func snippet1() async throws {
    await store.run(
      .task { .set(\.items, to: try await service.unreliableItems()) }
        .retry(.constant(.zero).limitedTo(attempts: 3), while: { $0 is UserService.Unavailable }))
    #expect(store.items == ["one", "two"])
  }

  @Test("Snippet 2 of Effect+Retry.swift yields what its comments say") func snippet2() async throws {
    let schedule = RetrySchedule.constant(.zero).limitedTo(attempts: 5)
    await store.run(
      .task(retrying: schedule) { attempt in
        let items = try await service.unreliableItems()
        return .concatenate(.set(\.items, to: items), .set(\.count, to: attempt.number))
      })
    #expect(store.count == 3)
  }
}
