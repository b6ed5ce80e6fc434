// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/AsyncStoreTesting.docc/TestingTime.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/AsyncStoreTesting.docc/TestingTime.md")
struct AsyncStoreTestingAsyncStoreTestingTestingTimeSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of TestingTime.md yields what its comments say") func snippet1() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.concatenate(.sleep(.milliseconds(300)), .perform { env in .set(\.items, to: try await env.items()) }))
      await simulation.clock.advance(by: .milliseconds(299))
      #expect(store.items == [])
      await simulation.clock.advance(by: .milliseconds(1))
      #expect(store.items == ["one", "two"])
    }
  }

  @Test("Snippet 2 of TestingTime.md yields what its comments say") func snippet2() async throws {
    let elapsed = try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      await store.run(.sleep(.seconds(86_400)))
      return simulation.clock.now.offset
    }
    #expect(elapsed == .seconds(86_400))
  }

  @Test("Snippet 3 of TestingTime.md yields what its comments say") func snippet3() async throws {
    struct Retrier<C: Clock>: Sendable where C.Duration == Duration {
      let clock: C

      func load() async throws -> String {
        try await clock.sleep(for: .seconds(30))
        return "loaded"
      }
    }

    let result = try await simulate { simulation in
      try await Retrier(clock: simulation.clock).load()
    }
    #expect(result == "loaded")
  }

  @Test("Snippet 4 of TestingTime.md yields what its comments say") func snippet4() async throws {
    try await simulate { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.merge(.sleep(.seconds(2)).id("slow"), .sleep(.seconds(1)).id("quick")))
      let sleepers = simulation.clock.sleepers
      #expect(sleepers.map(\.effect?.identifier) == ["quick", "slow"])
      #expect(simulation.clock.nextDeadline?.offset == .seconds(1))
      await simulation.clock.run()
      #expect(simulation.clock.now.offset == .seconds(2))
    }
  }

  @Test("Snippet 5 of TestingTime.md yields what its comments say") func snippet5() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate { simulation in
        let store = simulation.store(Counter(), env: service)
        store.receive(.timer(.seconds(1), id: "forgotten") { _ in .none })
      }
    }
    #expect(failure?.code == .leak)
    #expect(failure?.description.contains("[forgotten] timer 1.0 seconds") == true)
  }
}
