// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/Bindings.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Observation
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/Bindings.md")
struct AsyncStoreAsyncStoreBindingsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Bindings.md yields what its comments say") func snippet1() {
    store.bind(id: "count", to: \.items) { items in .set(\.count, to: items.count) }
    store.receive(.append("one", to: \.items))
    #expect(store.count == 1)
  }

  @Test("Snippet 2 of Bindings.md yields what its comments say") func snippet2() {
    let summary = CounterStore(state: Counter(), env: service)
    summary.bind(id: "user", to: store, on: \.user) { user in .set(\.message, to: "Hello, \(user ?? "stranger")") }
    store.receive(.set(\.user, to: "Ada"))
    #expect(summary.message == "Hello, Ada")
  }

  @Test("Snippet 3 of Bindings.md yields what its comments say") func snippet3() {
    let left = CounterStore(state: Counter(), env: service)
    let right = CounterStore(state: Counter(), env: service)
    left.bind(id: "right", to: right, on: \.count) { .set(\.count, to: $0) }
    right.bind(id: "left", to: left, on: \.count) { .set(\.count, to: $0) }
    right.receive(.set(\.count, to: 5))
    #expect(left.count == 5)
  }

  @Test("Snippet 4 of Bindings.md yields what its comments say") func snippet4() {
    let source = CounterStore(state: Counter(), env: service)
    let mirror = CounterStore(state: Counter(), env: service)
    mirror.bind(id: "source", to: source, on: \.count) { .set(\.count, to: $0) }
    mirror.receive(.lift(.concatenate(.set(\.count, to: 1), .set(\.count, to: 2)), to: source))
    #expect(source.count == 2)
    #expect(mirror.count == 2)
  }

  @Test("Snippet 5 of Bindings.md yields what its comments say") func snippet5() async throws {
    let (events, source) = AsyncStream.makeStream(of: String.self)
    store.bind(id: "events", stream: events) { event in .append(event, to: \.items) }
    source.yield("begun")
    source.yield("ended")
    try await store.wait(for: \.items, toEqual: ["begun", "ended"])
    #expect(store.items == ["begun", "ended"])
  }

  @Test("Snippet 6 of Bindings.md yields what its comments say") func snippet6() async throws {
    store.bind(id: "search", to: \.query, strategy: .latest) { query in
      query.isEmpty ? .none : .concatenate(.sleep(.milliseconds(1)), .append(query, to: \.items))
    }
    store.receive(.concatenate(.set(\.query, to: "s"), .set(\.query, to: "swift")))
    try await store.wait(for: \.items, toSatisfy: { !$0.isEmpty })
    #expect(store.items == ["swift"])
  }

  @Test("Snippet 7 of Bindings.md yields what its comments say") func snippet7() {
    store.bind(id: "count", to: \.items) { items in .set(\.count, to: items.count) }
    store.bind(id: "message", to: \.count) { count in .set(\.message, to: "\(count)") }
    store.receive(.merge(effects: ["count", "message"].map { id in .cancel(id) }))
    store.receive(.append("one", to: \.items))
    #expect(store.count == 0)
  }

  @Test("Snippet 8 of Bindings.md yields what its comments say") func snippet8() async {
    let reader = Task { [store] in
      var seen: [Int] = []
      for await count in store.values(of: \.count) {
        seen.append(count)
        if count == 2 { break }
      }
      return seen.last
    }
    store.receive(.set(\.count, to: 1))
    store.receive(.set(\.count, to: 2))
    let last = await reader.value
    #expect(last == 2)
  }

  @Test("Snippet 9 of Bindings.md yields what its comments say") func snippet9() async throws {
    store.receive(.task { .set(\.items, to: try await service.items()) })
    let items = try await store.wait(for: \.items, toSatisfy: { $0.count == 2 }, timeout: .seconds(10))
    #expect(items == ["one", "two"])
  }

  @Test("Snippet 10 of Bindings.md yields what its comments say") func snippet10() {
    let journal = CounterStore(state: Counter(), env: service)
    withObservationTracking {
      _ = store.count
    } onChange: {
      journal.receive(.append("count", to: \.items))
    }
    store.receive(.set(\.query, to: "swift"))  // not read, so not noticed
    store.receive(.set(\.count, to: 1))
    #expect(journal.items == ["count"])
  }
}
