#if Services
  import AsyncStore
  import AsyncStoreTesting
  import InMemoryLogging
  import Logging
  import Synchronization
  import Testing

  @testable import AsyncStoreServices

  @Suite("The shutdown of stores", .simulated(atEnd: .cancels))
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
          return await store.shutdownResult(drain: drain, cleanup: cleanup)
        }
        begin.finish()
        for await _ in hurried {}
        return await store.shutdownResult(drain: drain, cleanup: cleanup)
      }
      async let reports = stopping.stop([StoreMember(name: "orders", store: store, prefixes: [])])
      for await _ in begun {}
      stopping.endDraining()
      let report = try #require(await reports.first)
      #expect(report.cancelled.compactMap(\.identifier) == [EffectID("order").appending("a")])
      #expect(store.lines == ["a reserved", "a released"])
    }

    @Test("logs how much is in flight, and of what it cancels a list that can be read")
    func logged() async throws {
      let simulation = try #require(Simulation.current)
      let (store, upstream) = (simulation.notes(), simulation.notes())
      store.bind(id: "upstream", to: upstream, on: \.count) { _ in .order("bound", taking: .seconds(30)) }
      for number in 1...60 { store.receive(.order("\(number)", taking: .seconds(30))) }
      let log = InMemoryLogHandler()
      let stopping = Stopping(
        limits: ShutdownLimits(drain: .seconds(1), cleanup: .seconds(5), clock: simulation.clock),
        logger: Logger(label: "test") { _ in log })
      let inFlight = store.inFlightCount
      let reports = await stopping.stop([StoreMember(name: "orders", store: store, prefixes: [])])
      let cancelled = try #require(reports.first?.cancelled)
      let entries = log.entries
      #expect(entries.map { "\($0.message)" } == ["Draining", "Shut down, with effects cancelled"])
      #expect(inFlight > 60 && entries.first?.metadata["in-flight"] == "\(inFlight)")
      guard case .array(let listed)? = entries.last?.metadata["effects"] else {
        Issue.record("no list of effects")
        return
      }
      #expect(cancelled.count > 60 && listed.count == 51)
      #expect("\(listed[50])" == "… and \(cancelled.count - 50) more")
    }
  }
#endif
