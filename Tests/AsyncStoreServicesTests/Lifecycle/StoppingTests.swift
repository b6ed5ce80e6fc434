#if Services
  import AsyncStore
  import AsyncStoreTesting
  import Logging
  import Synchronization
  import Testing

  @testable import AsyncStoreServices

  @Suite("The shut-down of stores", .simulated(atEnd: .cancels))
  struct StoppingTests {
    @Test("reports what was cancelled, also where the end of the draining comes before its begin")
    func hurried() async throws {
      let simulation = try #require(Simulation.current)
      let store = simulation.notes()
      store.receive(.order("a", taking: .seconds(30)))
      let (hurried, hurry) = AsyncStream.makeStream(of: Void.self)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let stopping = Stopping(
        limits: ShutdownLimits(drain: .seconds(20), cleanup: .seconds(5), clock: simulation.clock),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { store, drain, cleanup in
        guard drain > .zero else {
          defer { hurry.finish() }
          return try await store.shutdown(drain: drain, cleanup: cleanup)
        }
        begin.finish()
        for await _ in hurried {}
        return try await store.shutdown(drain: drain, cleanup: cleanup)
      }
      async let reports = stopping.stop([StoreMember(name: "orders", store: store, prefixes: [])])
      for await _ in begun {}
      stopping.endDraining()
      let report = try #require(await reports.first)
      #expect(report.cancelled.compactMap(\.identifier) == [EffectID("order").appending("a")])
      #expect(store.lines == ["a reserved", "a released"])
    }
  }
#endif
