import AsyncStore
import AsyncStoreTesting
import Testing

@Suite("An effect pattern")
struct EffectPatternTests {
  private static let page = EffectID("feed").appending(3)
  private static let advice = "There is [feed/3], another identifier: write a path as it is made, from its first "

  @Test("An effect pattern matches an effect by its path, or by the beginning of its path")
  func paths() async throws {
    try await simulate { simulation in
      let store = simulation.testStore(0, env: ())
      for pattern in ["feed", .id("feed"), .id(Self.page)] as [EffectPattern] {
        store.receive(.sleep(.seconds(1)).id(Self.page))
        store.expect(.begun(pattern))
        store.expectInFlight(pattern)
        await simulation.clock.run()
      }
    }
  }

  @Test(
    "A failure tells an effect pattern from a path that is only printed alike",
    arguments: ["feed/3", .id(EffectID("feed").appending("3")), "3", .id(3)] as [EffectPattern])
  func similarPaths(_ pattern: EffectPattern) async throws {
    try await expectIssues(containing: ["This has not happened: begun \(pattern).\n" + Self.advice], from: 0) {
      store, simulation in
      store.receive(.sleep(.seconds(1)).id(Self.page))
      store.expect(.begun(pattern))
      store.expect(.begun("feed"))
      await simulation.clock.run()
    }
    try await expectIssues(containing: ["This is not in flight: \(pattern).\n" + Self.advice], from: 0) {
      store, simulation in
      store.receive(.sleep(.seconds(1)).id(Self.page))
      store.expect(.begun("feed"))
      store.expectInFlight(pattern)
      await simulation.clock.run()
    }
  }

  @Test("A failure gives no advice if an effect has the pattern's identifier, or one that is not alike")
  func noAdvice() async throws {
    try await expectIssues(containing: ["This is not in flight: feed.\nIn flight:"], from: 0) { store, simulation in
      store.receive(.sleep(.seconds(1)).id(Self.page))
      store.expect(.begun("feed"))
      store.expectInFlight("feed", "feed")
      await simulation.clock.run()
    }
    try await expectIssues(containing: ["This has not happened: begun eed.\nWhat has happened"], from: 0) {
      store, simulation in
      store.receive(.sleep(.seconds(1)).id(Self.page))
      store.expect(.begun("eed"))
      store.expect(.begun("feed"))
      await simulation.clock.run()
    }
  }
}
