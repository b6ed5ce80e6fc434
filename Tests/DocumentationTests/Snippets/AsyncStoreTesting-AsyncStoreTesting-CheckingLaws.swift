// swift-format-ignore-file
// Made from Sources/AsyncStoreTesting/AsyncStoreTesting.docc/CheckingLaws.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("Snippets of Sources/AsyncStoreTesting/AsyncStoreTesting.docc/CheckingLaws.md")
struct AsyncStoreTestingAsyncStoreTestingCheckingLawsSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of CheckingLaws.md yields what its comments say") func snippet1() async throws {
    let search = CounterStore.Effect.task { .set(\.count, to: 3) }.debounce(for: .milliseconds(300), id: "search")
    let report = try await Laws.cancelLeavesNothing(state: Counter(), env: service) { _, _ in search }
    #expect(report.scheduleCount == 500)
  }

  @Test("Snippet 2 of CheckingLaws.md yields what its comments say") func snippet2() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await Laws.cancelLeavesNothing(state: Counter(), env: service) { simulation, store in
        .task {
          Task {
            try await simulation.clock.sleep(for: .seconds(1))
            store.receive(.set(\.count, to: 3))
          }
          return .none
        }
      }
    }
    #expect(failure?.description.contains("The effect has committed after it was cancelled.") == true)
  }

  @Test("Snippet 3 of CheckingLaws.md yields what its comments say") func snippet3() async throws {
    let report = try await Laws.settles(.seeds(100), state: Counter(), env: service) { simulation, _ in
      .task {
        try await simulation.clock.sleep(for: .seconds(1))
        return .set(\.count, to: 3)
      }
    }
    #expect(report.scheduleCount == 100)
  }

  @Test("Snippet 4 of CheckingLaws.md yields what its comments say") func snippet4() throws {
    try Laws.updatesPurely(states: [0, 3], actions: [1, -1]) { (count: inout Int, step: Int) in count += step }
    try Laws.roundTrips([Duration.seconds(3), .milliseconds(5)])
    let old = try Laws.decodes([Int].self, from: ["[1,2]", "[]"])
    #expect(old == [[1, 2], []])
  }

  @Test("Snippet 5 of CheckingLaws.md yields what its comments say") func snippet5() async throws {
    let report = try await explore(.seeds(100)) { simulation in
      let store = simulation.store(Counter(), env: service)
      store.receive(.concatenate(.sleep(.seconds(60)), .set(\.count, to: 1)))
      try await simulation.eventually { store.count == 1 }
    }
    #expect(report.scheduleCount == 100)
  }

  @Test("Snippet 6 of CheckingLaws.md yields what its comments say") func snippet6() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate { simulation in
        let (tasks, continuation) = AsyncStream.makeStream(of: Task<Void, Never>.self)
        let first = Task { for await second in tasks { await second.value } }
        continuation.yield(Task { await first.value })
        await first.value
      }
    }
    #expect(failure?.description.contains("In a cycle: task 1") == true)
  }

  @Test("Snippet 7 of CheckingLaws.md yields what its comments say") func snippet7() async throws {
    try await simulate(seed: 7) { simulation in
      let identifier = simulation.random.uuid()
      let start = simulation.clock.date
      await simulation.clock.advance(by: .seconds(90))
      #expect(simulation.clock.date.timeIntervalSince(start) == 90)
      #expect(identifier.uuidString.count == 36)
    }
  }
}
