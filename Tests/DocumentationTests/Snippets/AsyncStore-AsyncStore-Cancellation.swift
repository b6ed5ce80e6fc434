// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/Cancellation.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/Cancellation.md")
struct AsyncStoreAsyncStoreCancellationSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Cancellation.md yields what its comments say") func snippet1() async {
    let handle = store.receive(
      .task(id: "slow") {
        try? await service.hang()
        return .set(\.count, to: 9)
      })
    store.receive(.cancel("slow"))
    let outcome = await handle.outcome
    #expect(outcome.isCancelled == true)
    #expect(store.count == 0)
  }

  @Test("Snippet 2 of Cancellation.md yields what its comments say") func snippet2() {
    let handle = store.receive(
      .concatenate(
        .sleep(.seconds(60)).id("pause"),
        .set(\.count, to: 1)
      ))
    store.receive(.cancel("pause"))
    #expect(store.count == 1)
    #expect(handle.isSettled == true)
  }

  @Test("Snippet 3 of Cancellation.md yields what its comments say") func snippet3() {
    let feed = EffectID("feed")
    store.receive(.sleep(.seconds(60)).id(feed.appending("page").appending(1)))
    store.receive(.sleep(.seconds(60)).id(feed.appending("images")))
    store.receive(.cancel(prefix: feed))
    #expect(store.inFlight.isEmpty == true)
  }

  @Test("Snippet 4 of Cancellation.md yields what its comments say") func snippet4() {
    let first = store.receive(.sleep(.seconds(60)).id("save"))
    let second = store.receive(.sleep(.seconds(60)).id("save"))
    #expect(first.outcomeIfSettled?.isCancelled == true)
    #expect(second.isSettled == false)
  }

  @Test("Snippet 5 of Cancellation.md yields what its comments say") func snippet5() async {
    let handles = (1...3).map { number in
      store.receive(.task { .append("\(number)", to: \.items) }.id("jobs", .queue()))
    }
    for handle in handles { _ = await handle.outcome }
    #expect(store.items == ["1", "2", "3"])
  }

  @Test("Snippet 6 of Cancellation.md yields what its comments say") func snippet6() async {
    store.receive(.sleep(.seconds(60)).id("load", .keepFirst))
    let outcome = await store.run(.set(\.count, to: 1).id("load", .keepFirst))
    #expect("\(outcome)" == "dropped")
    #expect(store.count == 0)
  }

  @Test("Snippet 7 of Cancellation.md yields what its comments say") func snippet7() async {
    @Sendable func countDown(from number: Int) -> CounterStore.Effect {
      .task(id: "countdown") {
        .concatenate(.set(\.count, to: number), number > 0 ? countDown(from: number - 1) : .none)
      }
    }
    let outcome = await store.run(countDown(from: 3))
    #expect(store.count == 0)
    #expect(outcome.isFinished == true)
  }

  @Test("Snippet 8 of Cancellation.md yields what its comments say") func snippet8() async throws {
    store.receive(.task(id: "load") { .set(\.items, to: try await service.items()) })
    await store.run(.concatenate(.join("load"), .read { state in .set(\.count, to: state.items.count) }))
    #expect(store.count == 2)
  }

  @Test("Snippet 9 of Cancellation.md yields what its comments say") func snippet9() {
    let handle = store.receive(.sleep(.seconds(60)))
    handle.cancel()
    #expect(handle.outcomeIfSettled?.isCancelled == true)
  }

  @Test("Snippet 10 of Cancellation.md yields what its comments say") func snippet10() async {
    let task = Task { await store.run(.sleep(.seconds(60))) }
    task.cancel()
    let outcome = await task.value
    #expect(outcome.isCancelled == true)
  }

  @Test("Snippet 11 of Cancellation.md yields what its comments say") func snippet11() {
    let edit: CounterStore.Effect = .concatenate(.set(\.isLoading, to: true), .sleep(.seconds(60)))
    store.receive(edit.finally(.set(\.isLoading, to: false)).id("edit"))
    #expect(store.isLoading == true)
    store.receive(.cancel("edit"))
    #expect(store.isLoading == false)
  }
}
