// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/TrapsAndAnswers.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/TrapsAndAnswers.md")
struct AsyncStoreAsyncStoreTrapsAndAnswersSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of TrapsAndAnswers.md yields what its comments say") func snippet1() async {
    await store.run(
      .task(id: "load") {
        store.receive(.sleep(.seconds(3_600)).id("sent"))
        return .none
      })
    store.receive(.cancel("load"))
    #expect(store.inFlight.first?.identifier == "sent")

    let handle = store.receive(.task(id: "load") { .sleep(.seconds(3_600)).id("returned") })
    store.receive(.cancel("load"))
    let outcome = await handle.outcome
    #expect(outcome.isCancelled == true)
    #expect(store.inFlight.map(\.identifier) == ["sent"])
  }

  @Test("Snippet 2 of TrapsAndAnswers.md yields what its comments say") func snippet2() async throws {
    let polite = CounterStore(state: Counter(), env: service) { error in
      error is CancellationError ? .none : .set(\.message, to: "\(error)")
    }
    let slow: CounterStore.Effect = .task { try await service.hang(); return .none }
    await polite.run(slow.recover { _ in .set(\.count, to: 2) }.timeout(.milliseconds(1), else: .set(\.count, to: 1)))
    #expect(polite.count == 1)
    #expect(polite.message == "")
  }

  @Test("Snippet 3 of TrapsAndAnswers.md yields what its comments say") func snippet3() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      let fails: CounterStore.Effect = .task { try await service.fail(); return .none }
      await store.run(
        .sequence(fails.timeout(.seconds(1))).recover { error in
          .concatenate(.sleep(.seconds(5)), .set(\.message, to: "\(error)"))
        })
      #expect(store.message == "Unavailable()")
    }
  }

  @Test("Snippet 4 of TrapsAndAnswers.md yields what its comments say") func snippet4() async {
    store.deactivate()
    let outcome = await store.run(.set(\.count, to: 1))
    #expect("\(outcome)" == "inactive")
    #expect(store.count == 0)
  }

  @Test("Snippet 5 of TrapsAndAnswers.md yields what its comments say") func snippet5() {
    store.receive(.sleep(.seconds(60)).id("jobs", .queue()))
    let waiting = store.receive(.set(\.count, to: 1).id("jobs", .queue()))
    #expect(waiting.isSettled == false)
    #expect(store.inFlight.last?.wait.description == "queued, 1st under jobs")
  }

  @Test("Snippet 6 of TrapsAndAnswers.md yields what its comments say") func snippet6() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      let stubborn: CounterStore.Effect = .task {
        await Task { try? await simulation.clock.sleep(for: .seconds(10)) }.value
        return .set(\.count, to: 1)
      }
      let handle = store.receive(stubborn.timeout(.seconds(1), else: .set(\.message, to: "too slow")))
      await simulation.clock.advance(by: .seconds(1))
      #expect(store.message == "too slow")
      #expect(handle.isSettled == false)
      await simulation.clock.run()
      #expect(handle.isSettled == true)
      #expect(store.count == 0)
    }
  }

  @Test("Snippet 7 of TrapsAndAnswers.md yields what its comments say") func snippet7() async throws {
    let plain = CounterStore(state: Counter(), env: service)
    let outcome = await plain.run(
      .concatenate(.task { try await service.fail(); return .none }, .set(\.count, to: 1)))
    #expect(outcome.isFinished == false)
    #expect(plain.count == 1)
  }

  @Test("Snippet 8 of TrapsAndAnswers.md yields what its comments say") func snippet8() {
    weak var gone: CounterStore?
    weak var kept: CounterStore?
    do {
      let first = CounterStore(state: Counter(), env: service)
      first.bind(id: "count", to: \.items) { items in .set(\.count, to: items.count) }
      gone = first
      let second = CounterStore(state: Counter(), env: service)
      second.bind(id: "count", to: \.items) { [second] _ in .set(\.count, to: second.items.count) }
      kept = second
    }
    #expect((gone == nil) == true)
    #expect((kept == nil) == false)
    kept?.deactivate()
    #expect((kept == nil) == true)
  }

  @Test("Snippet 9 of TrapsAndAnswers.md yields what its comments say") func snippet9() {
    var shortLived: CounterStore? = CounterStore(state: Counter(), env: service)
    let work: CounterStore.Effect = .sleep(.seconds(60))
    let handle = shortLived?.receive(work.finally(.lift(.append("cleaned up", to: \.items), to: store)))
    shortLived = nil
    #expect(handle?.outcomeIfSettled?.isCancelled == true)
    #expect(store.items.isEmpty == true)
  }

  @Test("Snippet 10 of TrapsAndAnswers.md yields what its comments say") func snippet10() {
    store.receive(.update { state in
      state.count += 1
      return state.count > 9 ? .cancel("poll") : .none
    })
    #expect(store.count == 1)
  }

  @Test("Snippet 11 of TrapsAndAnswers.md yields what its comments say") func snippet11() {
    enum Feed: Hashable, Sendable { case load }

    store.receive(.sleep(.seconds(60)).id("load"))
    store.receive(.sleep(.seconds(60)).id(EffectID("settings").appending("load")))
    store.receive(.sleep(.seconds(60)).id(Feed.load))
    store.receive(.sleep(.seconds(60)).id("load"))
    #expect(store.inFlight.count == 3)
  }

  @Test("Snippet 12 of TrapsAndAnswers.md yields what its comments say") func snippet12() {
    let page = EffectID("feed").appending(1)
    store.receive(.sleep(.seconds(60)).id(page))
    store.receive(.cancel("feed/1"))
    #expect(store.inFlight.map { "\($0.identifier ?? "-")" } == ["feed/1"])
    store.receive(.cancel(page))
    #expect(store.inFlight.isEmpty == true)
  }

  @Test("Snippet 13 of TrapsAndAnswers.md yields what its comments say") func snippet13() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.timer(.seconds(1), id: "poll") { tick in .set(\.count, to: tick.index).id("poll") })
      await simulation.clock.advance(by: .seconds(5))
      #expect(store.count == 1)
      #expect(store.inFlight.isEmpty == true)
    }
  }

  @Test("Snippet 14 of TrapsAndAnswers.md yields what its comments say") func snippet14() async throws {
    let recorder = Recorder()
    let store = CounterStore(state: Counter(), env: service, instrument: recorder)
    store.bind(id: "next", to: \.count) { count in count < 3_000 ? .set(\.count, to: count + 1) : .none }
    try await store.wait(for: \.count, toEqual: 3_000)
    #expect(recorder.lines.contains("unsettled bindings next") == true)

    store.receive(.concatenate(effects: (1...3_000).map { number in .append("\(number)", to: \.items) }))
    #expect(store.items.count == 3_000)
  }

  @Test("Snippet 15 of TrapsAndAnswers.md yields what its comments say") func snippet15() async {
    let bound = CounterStore(state: Counter(), env: service, isolation: MainActor.shared)
    await bound.run(.set(\.count, to: 1))
    #expect(bound.count == 1)
  }

  @Test("Snippet 16 of TrapsAndAnswers.md yields what its comments say") func snippet16() async throws {
    store.receive(.perform { service in .set(\.items, to: try await service.items()) })
    try await store.wait(for: \.items, toSatisfy: { !$0.isEmpty }, timeout: .seconds(60))
    #expect(store.items == ["one", "two"])
  }
}
