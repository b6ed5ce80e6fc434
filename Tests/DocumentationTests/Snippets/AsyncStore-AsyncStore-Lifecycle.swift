// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/Lifecycle.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/Lifecycle.md")
struct AsyncStoreAsyncStoreLifecycleSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Lifecycle.md yields what its comments say") func snippet1() async throws {
    let handle = store.receive(
      .concatenate(
        .set(\.isLoading, to: true),
        .task { .set(\.items, to: try await service.items()) }
      ))
    #expect(store.isLoading == true)
    let outcome = await handle.outcome
    #expect(outcome.isFinished == true)
    #expect(store.items == ["one", "two"])
  }

  @Test("Snippet 2 of Lifecycle.md yields what its comments say") func snippet2() async throws {
    let outcome = await store.run(.task { try await service.fail(); return .none })
    #expect(outcome.isFinished == false)
    #expect(store.message == "Unavailable()")
  }

  @Test("Snippet 3 of Lifecycle.md yields what its comments say") func snippet3() async {
    let sleeping = store.receive(.sleep(.seconds(60)))
    store.deactivate()
    let late = store.receive(.set(\.count, to: 1))
    #expect(sleeping.outcomeIfSettled?.isCancelled == true)
    #expect("\(await late.outcome)" == "inactive")
    #expect(store.count == 0)

    store.activate()
    store.receive(.set(\.count, to: 2))
    #expect(store.count == 2)
  }

  @Test("Snippet 4 of Lifecycle.md yields what its comments say") func snippet4() async throws {
    store.receive(.task(id: "job") { try await service.hang(); return .none }.finally(.set(\.message, to: "given back")))
    let cancelled = try await store.shutdown(drain: .milliseconds(1))
    #expect(cancelled.compactMap(\.identifier) == ["job"])
    #expect(store.message == "given back")
    #expect(store.isActive == false)
    #expect(store.inFlight.isEmpty == true)
  }

  @Test("Snippet 5 of Lifecycle.md yields what its comments say") func snippet5() async throws {
    var shortLived: CounterStore? = CounterStore(state: Counter(), env: service)
    let handle = shortLived?.receive(.perform { env in try await env.hang(); return .none })
    shortLived = nil
    let outcome = await handle?.outcome
    #expect(outcome?.isCancelled == true)
  }

  @Test("Snippet 6 of Lifecycle.md yields what its comments say") func snippet6() {
    store.receive(.sleep(.seconds(60)).label("pause").id("job"))
    let effect = store.inFlight.first
    #expect(effect?.identifier == "job")
    #expect(effect?.label == "pause")
    #expect(effect?.wait.description == "sleeping")
  }
}
