#if Services
  import AsyncStoreServices
  import AsyncStoreTesting
  import InMemoryLogging
  import Logging
  import Testing

  @Suite("A log of a store", .simulated(atEnd: .cancels))
  struct LogInstrumentTests {
    struct Refused: Error {}

    let simulation: Simulation
    let log: InMemoryLogHandler

    init() throws {
      simulation = try #require(Simulation.current)
      log = InMemoryLogHandler()
    }

    private func store(_ level: Logger.Level) -> NotesStore {
      var logger = Logger(label: "test") { _ in log }
      logger.logLevel = level
      return simulation.notes("orders", LogInstrument(logger))
    }

    @Test("The log of a store has each event at its level, with the effect that it is about")
    func levels() async throws {
      let store = store(.trace)
      let flaky = Flaky(failures: 1)
      let charge = NotesStore.Effect.task {
        try await flaky.call()
        return .note("charged")
      }
      await store.run(charge.retry(.constant(.seconds(1))).label("charge").id("order").id("request"))
      let entries = log.entries
      let words = entries.map { "\($0.level) \($0.message)" }
      #expect(words.contains("debug Begun") && words.contains("debug Settled") && words.contains("trace Committed"))
      let backedOff = try #require(entries.first { "\($0.message)" == "Backed off" })
      #expect(backedOff.level == .notice)
      #expect(backedOff.metadata["store"] == "orders" && backedOff.metadata["id"] == "order")
      #expect(backedOff.metadata["outer-ids"] == ["request"])
      #expect(backedOff.metadata["label"] == "charge" && "\(backedOff.metadata["attempt"] ?? "")" == "1")
      #expect(backedOff.metadata["error"] == "Failure()" && backedOff.metadata["delay"] == "1.0 seconds")
      let settled = try #require(entries.last { "\($0.message)" == "Settled" })
      #expect(settled.metadata["outcome"] == "finished" && settled.metadata["kind"] == "task")
    }

    @Test("The log of a store omits events below its level, and keeps failures and refused effects")
    func quiet() async {
      let store = store(.notice)
      await store.run(.task { throw Refused() })
      store.receive(.sleep(.seconds(1)).id("slow", .keepFirst))
      store.receive(.sleep(.seconds(1)).id("slow", .keepFirst))
      #expect(log.entries.map(\.level) == [.warning, .warning])
      #expect(log.entries[0].metadata["error"] == "Refused()")
      #expect("\(log.entries[1].metadata["detail"] ?? "")".contains("slow"))
    }

    @Test("The log of a store has a recovered error at a level of its own, and not as a failure")
    func recoveries() async throws {
      let recovered = NotesStore.Effect.task { throw Refused() }.label("charge").recover { _ in .note("recovered") }
      let loud = store(.debug)
      await loud.run(recovered)
      let entry = try #require(log.entries.first { "\($0.message)" == "Recovered" })
      #expect(entry.level == .debug && entry.metadata["label"] == "charge" && entry.metadata["error"] == "Refused()")
      #expect(!log.entries.contains { "\($0.message)" == "Failed" })
      let count = log.entries.count
      await store(.info).run(recovered)
      #expect(log.entries.count == count)
    }

    @Test("The log of a store takes an error for a cancellation only if the operation was cancelled")
    func errorsOfCancelledOperations() async {
      let store = store(.debug)
      await store.run(.task { throw CancellationError() })
      #expect(log.entries.last { "\($0.message)" == "Failed" }?.level == .warning)
      let handle = store.receive(
        .task {
          try? await simulation.clock.sleep(for: .seconds(60))
          throw Refused()
        })
      await simulation.clock.advance(by: .seconds(1))
      handle.cancel()
      await simulation.clock.advance(by: .seconds(1))
      #expect(log.entries.last { "\($0.message)" == "Failed" }?.level == .debug)
    }

    @Test("The metadata provider describes the operation inside of it, and nothing outside of it")
    func metadataProvider() async throws {
      let store = store(.critical)
      let own = InMemoryLogHandler()
      let logger = Logger(label: "own") { _, _ in
        var handler = own
        handler.metadataProvider = .asyncStore
        return handler
      }
      logger.notice("outside")
      await store.run(
        .task {
          logger.notice("inside")
          return .none
        }.label("charge").id("order"))
      #expect(own.entries[0].metadata.isEmpty)
      #expect(own.entries[1].metadata["store"] == "orders" && own.entries[1].metadata["label"] == "charge")
      #expect(own.entries[1].metadata["id"] == "order")
    }

    @Test("The metadata provider has the number of each attempt inside of it")
    func attempts() async throws {
      let store = store(.critical)
      let own = InMemoryLogHandler()
      let logger = Logger(label: "own") { _, _ in
        var handler = own
        handler.metadataProvider = .asyncStore
        return handler
      }
      let flaky = Flaky(failures: 2)
      let charge = NotesStore.Effect.task {
        logger.notice("charging")
        try await flaky.call()
        return .none
      }
      await store.run(charge.retry(.constant(.seconds(1))).label("charge"))
      #expect(own.entries.map { "\($0.metadata["attempt"] ?? "")" } == ["1", "2", "3"])
    }

    @Test("A log instrument asks the store for no events below its level", arguments: Logger.Level.allCases)
    func events(level: Logger.Level) {
      var logger = Logger(label: "test") { _ in log }
      logger.logLevel = level
      let events = LogInstrument(logger).events
      #expect(events.contains(.failed) == (level <= .warning))
      #expect(events.contains(.backedOff) == (level <= .notice))
      #expect(events.contains(.ignored) == (level <= .info))
      #expect(events.contains(.begun) == (level <= .debug))
      #expect(events.contains(.recovered) == (level <= .debug))
      #expect(events.contains(.committed) == (level <= .trace))
    }
  }
#endif
