// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/ChoosingEffects.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/ChoosingEffects.md")
struct AsyncStoreAsyncStoreChoosingEffectsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of ChoosingEffects.md yields what its comments say") func snippet1() async throws {
    let failing: CounterStore.Effect = .task { try await service.fail(); return .none }
    await store.run(.concatenate(failing, .append("concatenated", to: \.items)))
    await store.run(.sequence(failing, .append("in sequence", to: \.items)))
    #expect(store.items == ["concatenated"])
  }

  @Test("Snippet 2 of ChoosingEffects.md yields what its comments say") func snippet2() async throws {
    struct Slow: Error {}
    let attempt: CounterStore.Effect = .perform { env in .set(\.items, to: try await env.unreliableItems()) }
    await store.run(
      attempt
        .timeout(.seconds(600), else: .task { throw Slow() })
        .retry(.constant(.zero).limitedTo(attempts: 5), while: { $0 is UserService.Unavailable || $0 is Slow })
        .recover { error in .set(\.message, to: "\(error)") }
        .timeout(.seconds(3_600), else: .set(\.message, to: "too slow")))
    #expect(store.items == ["one", "two"])
    #expect(store.message == "")
  }

  @Test("The effects in the tables of ChoosingEffects.md compile") func effectsInTables() {
    do {
      let effect: CounterStore.Effect = .set(\.count, to: 3)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .set { state in state.count += 1 }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .append("one", to: \.items)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .insert("one", into: \.items, at: 0)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .remove(from: \.items, at: 0)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .removeFirst(from: \.items)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .removeLast(from: \.items)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .read { state in state.items.isEmpty ? load : .none }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .update { state in state.isLoading = true; return load }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .none
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .task { .set(\.user, to: try await service.user()) }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .perform { env in .set(\.items, to: try await env.items()) }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .dataTask(credentials, login)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .task(id: "user") { .set(\.user, to: try await service.user()) }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .task({ try await login(credentials) }, "login")
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .perform(id: "items") { env in .set(\.items, to: try await env.items()) }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .dataTask(credentials, login, "login")
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .stream(journal.values(of: \.count)) { .set(\.count, to: $0) }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .lift(.append("saved", to: \.items), to: journal)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .concatenate(load, save)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .sequence(load, save)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .sequence(save.compensate(with: .removeLast(from: \.items)), load)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .merge(load, save)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .merge(effects: Array(repeating: load, count: 9), limit: 3)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .race(load, save)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .race(load, save, goal: .firstToSucceed)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .concatenate(effects: [load, save])
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .sequence(effects: [load, save])
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .race(effects: [load, save])
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.finally(.set(\.isLoading, to: false))
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .concatenate(.join("load"), save)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .concatenate(.join(prefix: EffectID("feed")), save)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.retry(.exponential(first: .milliseconds(100)).limitedTo(attempts: 3))
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.retry(.constant(.seconds(1)), while: { $0 is UserService.Unavailable })
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .task(retrying: .constant(.seconds(1))) { attempt in .set(\.count, to: attempt.number) }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .perform(retrying: .constant(.seconds(1))) { env, _ in .set(\.items, to: try await env.items()) }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.recover { error in .set(\.message, to: "\(error)") }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.timeout(.seconds(5), else: .set(\.message, to: "too slow"))
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .concatenate(.sleep(.seconds(1)), load)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .timer(.seconds(60), id: "poll") { _ in load }
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.debounce(for: .milliseconds(300), id: "search")
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .debounce({ try await login(credentials) }, for: .milliseconds(300), id: "login")
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = save.throttle(for: .seconds(1), id: "save")
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.id("load")
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.id("load", .replaceAfterCleanup)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.id("load", .keepFirst)
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = save.id("save", .queue())
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = save.id("save", .atMost(3))
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = save.finally(.sleep(.seconds(1))).id("permit", .atMost(3))
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.id(EffectID("feed").appending(1))
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .cancel("load")
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .cancel(ids: ["load", "save"])
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .cancel(prefix: EffectID("feed"))
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = .cancelAll()
      _ = effect
    }
    do {
      let effect: CounterStore.Effect = load.label("first page")
      _ = effect
    }
  }
}
