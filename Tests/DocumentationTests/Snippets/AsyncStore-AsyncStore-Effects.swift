// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/Effects.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

extension CounterStore {
  func greet(_ name: String) async throws -> Effect { .set(\.message, to: "Hello, \(name)") }
}

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/Effects.md")
struct AsyncStoreAsyncStoreEffectsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Effects.md yields what its comments say") func snippet1() {
    store.receive(.set(\.count, to: 3))
    store.receive(.set { $0.count += 1 })
    store.receive(.append("one", to: \.items))
    #expect(store.count == 4)
    #expect(store.items == ["one"])
  }

  @Test("Snippet 2 of Effects.md yields what its comments say") func snippet2() async throws {
    let startOnce: CounterStore.Effect = .update { state in
      guard !state.isLoading else { return .none }
      state.isLoading = true
      return .task { .set(\.items, to: try await service.items()) }
    }
    await store.run(.merge(startOnce, startOnce))
    #expect(store.items == ["one", "two"])
    #expect(store.isLoading == true)
  }

  @Test("Snippet 3 of Effects.md yields what its comments say") func snippet3() {
    let ticket = store.update { state in
      state.count += 1
      return state.count
    }
    #expect(ticket == 1)
  }

  @Test("Snippet 4 of Effects.md yields what its comments say") func snippet4() async throws {
    await store.run(
      .task {
        let user = try await service.user()
        return .concatenate(.set(\.user, to: user), .set(\.isLoading, to: false))
      })
    #expect(store.user == "Ada")
  }

  @Test("Snippet 5 of Effects.md yields what its comments say") func snippet5() async throws {
    await store.run(.perform { env in .set(\.items, to: try await env.items()) })
    #expect(store.items == ["one", "two"])
  }

  @Test("Snippet 6 of Effects.md yields what its comments say") func snippet6() async {
    await store.run(.dataTask("Ada", store.greet))
    #expect(store.message == "Hello, Ada")
  }

  @Test("Snippet 7 of Effects.md yields what its comments say") func snippet7() async throws {
    await store.run(
      .concatenate(
        .set(\.isLoading, to: true),
        .merge(
          .task { .set(\.user, to: try await service.user()) },
          .task { .set(\.items, to: try await service.items()) }
        ),
        .read { state in .set(\.count, to: state.items.count) },
        .set(\.isLoading, to: false)
      ))
    #expect(store.count == 2)
    #expect(store.user == "Ada")
  }

  @Test("Snippet 8 of Effects.md yields what its comments say") func snippet8() async {
    let jobs = (1...10).map { number in CounterStore.Effect.task { .set { $0.count += number } } }
    await store.run(.merge(effects: jobs, limit: 3))
    #expect(store.count == 55)
  }

  @Test("Snippet 9 of Effects.md yields what its comments say") func snippet9() async throws {
    await store.run(
      .race(
        .task { .set(\.user, to: try await service.user()) },
        .task { try await service.hang(); return .set(\.user, to: "nobody") }
      ))
    #expect(store.user == "Ada")
  }

  @Test("Snippet 10 of Effects.md yields what its comments say") func snippet10() async {
    await store.run(.concatenate(.sleep(.milliseconds(2)), .sleep(0.001), .set(\.count, to: 1)))
    #expect(store.count == 1)
  }

  @Test("Snippet 11 of Effects.md yields what its comments say") func snippet11() async throws {
    let handle = store.receive(.timer(.milliseconds(1), id: "poll") { tick in .set(\.count, to: tick.index) })
    #expect(handle.isSettled == true)
    try await store.wait(for: \.count, toSatisfy: { $0 >= 3 })
    store.receive(.cancel("poll"))
    #expect(store.inFlight.isEmpty == true)
  }

  @Test("Snippet 12 of Effects.md yields what its comments say") func snippet12() async throws {
    for text in ["s", "sw", "swift"] {
      store.receive(.debounce({ .set(\.query, to: text) }, for: .milliseconds(10), id: "search"))
    }
    try await store.wait(for: \.query, toEqual: "swift")
    #expect(store.query == "swift")
  }

  @Test("Snippet 13 of Effects.md yields what its comments say") func snippet13() {
    for text in ["a", "b", "c"] {
      store.receive(.append(text, to: \.items).throttle(for: .seconds(60), id: "log", edges: .leading))
    }
    #expect(store.items == ["a"])
  }

  @Test("Snippet 14 of Effects.md yields what its comments say") func snippet14() async throws {
    let (numbers, source) = AsyncStream.makeStream(of: Int.self)
    store.receive(.stream(numbers) { number in .set { $0.count += number } }.id("numbers"))
    source.yield(1)
    source.yield(2)
    try await store.wait(for: \.count, toEqual: 3)
    #expect(store.count == 3)
  }

  @Test("Snippet 15 of Effects.md yields what its comments say") func snippet15() async throws {
    await store.run(
      .concatenate(
        .task { try await service.fail(); return .none },
        .set(\.count, to: 1)
      ).recover { error in .set(\.user, to: "nobody: \(error)") })
    #expect(store.user == "nobody: Unavailable()")
    #expect(store.count == 1)
  }

  @Test("Snippet 16 of Effects.md yields what its comments say") func snippet16() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      let fails: CounterStore.Effect = .task { try await service.fail(); return .none }
      let bounded = fails.timeout(.seconds(1), else: .append("cut off", to: \.items)).id("place", .atMost(1))
      let fallback: CounterStore.Effect = .concatenate(.sleep(.seconds(5)), .append("fallback", to: \.items))
      await store.run(bounded.recover { _ in fallback })
      #expect(store.items == ["cut off"])
      let handle = store.receive(.sequence(bounded).recover { _ in fallback })
      await simulation.settle()
      await store.run(.append("next", to: \.items).id("place", .atMost(1)))
      _ = await handle.outcome
      #expect(store.items == ["cut off", "next", "fallback"])
    }
  }

  @Test("Snippet 17 of Effects.md yields what its comments say") func snippet17() async throws {
    @Sendable func step(_ name: String) -> CounterStore.Effect { .append(name, to: \.items) }

    let order: CounterStore.Effect = .sequence(
      step("reserve").compensate(with: step("release")),
      step("charge").compensate(with: step("refund")),
      .task { try await service.fail(); return step("ship") })
    await store.run(order.recover { _ in step("apologise") })
    #expect(store.items == ["reserve", "charge", "refund", "release", "apologise"])
  }

  @Test("Snippet 18 of Effects.md yields what its comments say") func snippet18() async throws {
    let schedule = RetrySchedule.constant(.milliseconds(1)).limitedTo(attempts: 5)
    await store.run(.task { .set(\.items, to: try await service.unreliableItems()) }.retry(schedule))
    #expect(store.items == ["one", "two"])
  }

  @Test("Snippet 19 of Effects.md yields what its comments say") func snippet19() async throws {
    let schedule = RetrySchedule.constant(.milliseconds(1)).limitedTo(attempts: 5)
    await store.run(
      .task(retrying: schedule, while: { $0 is UserService.Unavailable }) { attempt in
        let items = try await service.unreliableItems()
        return .concatenate(.set(\.items, to: items), .set(\.count, to: attempt.number))
      })
    #expect(store.items == ["one", "two"])
    #expect(store.count == 3)
  }

  @Test("Snippet 20 of Effects.md yields what its comments say") func snippet20() async throws {
    let slow: CounterStore.Effect = .task { try await service.hang(); return .none }
    await store.run(slow.timeout(.milliseconds(2), else: .set(\.user, to: "nobody")))
    #expect(store.user == "nobody")
  }

  @Test("Snippet 21 of Effects.md yields what its comments say") func snippet21() async {
    let journal = CounterStore(state: Counter(), env: service)
    await store.run(.concatenate(.lift(.append("begun", to: \.items), to: journal), .set(\.count, to: 1)))
    #expect(journal.items == ["begun"])
  }

  @Test("Snippet 22 of Effects.md yields what its comments say") func snippet22() {
    let refresh: CounterStore.Effect = .concatenate(
      .set(\.isLoading, to: true),
      .sleep(.seconds(1)).label("pause")
    ).id("refresh")
    let kinds = refresh.description.split(separator: "\n").map { line in
      String(line.drop { $0 == " " }.prefix { $0 != " " })
    }
    #expect(kinds == ["id", "concatenate", "set", "label", "sleep"])
  }
}
