// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/AsyncStoreTesting.docc/FindingRaces.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

struct TypeAhead: Sendable, Equatable {
  var query = ""
  var results: [String] = []
}

typealias TypeAheadStore = AsyncStore<TypeAhead, Void>
typealias SearchService = @Sendable (String) async throws -> [String]

func typed(_ query: String, _ search: @escaping SearchService) -> TypeAheadStore.Effect {
  .concatenate(
    .set(\.query, to: query),
    .task { .set(\.results, to: try await search(query)) }
  )
}

@MainActor final class Screen {
  var text = "old"
}

func refresh(_ screen: Screen) async {
  guard !Task.isCancelled else { return }
  await MainActor.run { screen.text = "new" }
}

struct LateWrite: Error {}

@Suite("Snippets of Sources/AsyncStoreTesting/AsyncStoreTesting.docc/FindingRaces.md")
struct AsyncStoreTestingAsyncStoreTestingFindingRacesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 2 of FindingRaces.md yields what its comments say") func snippet2() async throws {
    struct Stale: Error {}

    let failure = await #expect(throws: SimulationFailure.self) {
      try await explore(.seeds(1_000)) { simulation in
        let slow = simulation.faults(latency: .milliseconds(10) ... .milliseconds(200))
        let search: SearchService = slow.applied { query in [query.uppercased()] }
        let store = simulation.store(TypeAhead(), env: ())
        store.receive(typed("s", search))
        await simulation.clock.advance(by: .milliseconds(50))
        store.receive(typed("sw", search))
        await simulation.clock.run()
        if store.results != ["SW"] { throw Stale() }
      }
    }
    #expect(failure?.code == .failingSchedule)
    #expect(failure?.description.contains("Stale()") == true)
  }

  @Test("Snippet 3 of FindingRaces.md yields what its comments say") func snippet3() async throws {
    let report = try await explore(.seeds(1_000)) { simulation in
      let slow = simulation.faults(latency: .milliseconds(10) ... .milliseconds(200))
      let search: SearchService = slow.applied { query in [query.uppercased()] }
      let store = simulation.store(TypeAhead(), env: ())
      store.receive(typed("s", search).id("search"))
      await simulation.clock.advance(by: .milliseconds(50))
      store.receive(typed("sw", search).id("search"))
      await simulation.clock.run()
      #expect(store.results == ["SW"])
    }
    #expect(report.description == "1000 schedules pass")
  }

  @Test("Snippet 5 of FindingRaces.md yields what its comments say") func snippet5() async throws {
    let race: @Sendable (Simulation) async throws -> Void = { simulation in
      let screen = Screen()
      let refreshing = Task { await refresh(screen) }
      let text = await Task { @MainActor in
        refreshing.cancel()
        return screen.text
      }.value
      await simulation.settle()
      if await screen.text != text { throw LateWrite() }
    }
    let failure = await #expect(throws: SimulationFailure.self) { try await explore(.seeds(1_000), race) }
    #expect(failure?.description.contains("LateWrite()") == true)

    let schedule = try #require(failure?.schedule)
    let again = await #expect(throws: SimulationFailure.self) { try await explore(.replay(schedule.description), race) }
    #expect(again?.schedule == schedule)
  }

  @Test("Snippet 6 of FindingRaces.md yields what its comments say") func snippet6() async throws {
    let report = try await explore(.exhaustive()) { simulation in
      let store = simulation.store("old", env: ())
      store.receive(.task(id: "refresh") { .set(\.self, to: "new") })
      try await Task {
        store.receive(.cancel("refresh"))
        let value = store.state
        await simulation.settle()
        if store.state != value { throw LateWrite() }
      }.value
    }
    #expect(report.isExhaustive == true)
  }
}
