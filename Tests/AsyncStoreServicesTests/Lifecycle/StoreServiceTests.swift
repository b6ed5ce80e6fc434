#if Services
  import AsyncStoreServices
  import AsyncStoreTesting
  import InMemoryLogging
  import Logging
  import ServiceLifecycle
  import ServiceLifecycleTestKit
  import Testing

  @Suite("A service of stores", .simulated(atEnd: .cancels))
  struct StoreServiceTests {
    let simulation: Simulation
    let orders: NotesStore
    let board: NotesStore
    let log = InMemoryLogHandler()

    init() throws {
      simulation = try #require(Simulation.current)
      orders = simulation.notes()
      board = simulation.notes()
    }

    func service(
      drain: Duration = .seconds(20), cleanup: Duration = .seconds(5), keepingSources: Bool = false
    ) -> StoreService {
      StoreService(
        ["orders": orders, "board": board], drain: drain, cleanup: cleanup, keepingSources: keepingSources,
        clock: simulation.clock, logger: Logger(label: "test") { _ in log })
    }

    @Test("A store service runs until its group shuts down gracefully, and then drains its stores")
    func drains() async throws {
      board.bind(id: "orders", to: orders, on: \.lines) { lines in .set(\.lines, to: lines) }
      orders.receive(.order("a", taking: .seconds(10)))
      try await testGracefulShutdown { trigger in
        let running = Task { try await service().run() }
        try await simulation.clock.sleep(for: .seconds(1))
        #expect(orders.isActive)
        trigger.triggerGracefulShutdown()
        try await running.value
      }
      #expect(orders.lines == ["a reserved", "a sent"])
      #expect(board.lines == orders.lines, "the board is shut down after what it is bound to")
      #expect(orders.phase == .inactive && board.phase == .inactive)
    }

    @Test("A store service can be made of a list of stores")
    func list() async throws {
      let documents = ["one": orders, "two": board]
      orders.receive(.order("a", taking: .seconds(10)))
      let service = StoreService(
        documents.sorted { $0.key < $1.key }.map { ("document \($0.key)", $0.value) }, counting: ["order"],
        clock: simulation.clock)
      #expect(service.health.stores.map(\.inFlightByPrefix) == [["order": 1], ["order": 0]])
      let reports = try await service.shutdown()
      #expect(reports.map(\.store) == ["document one", "document two"])
      #expect(orders.lines == ["a reserved", "a sent"])
    }

    @Test("A store service cancels what has not ended in time, with its cleanup, and reports and logs it")
    func cancels() async throws {
      orders.receive(.order("a", taking: .seconds(30)))
      let reports = try await service().shutdown()
      #expect(orders.lines == ["a reserved", "a released"])
      #expect(reports.map(\.store) == ["orders", "board"])
      #expect(reports[0].cancelled.compactMap(\.identifier) == [EffectID("order").appending("a")])
      #expect(reports[1].cancelled.isEmpty)
      #expect(simulation.clock.now.offset == .seconds(20))
      let warning = try #require(log.entries.first { $0.level == .warning })
      #expect(warning.metadata["store"] == "orders")
      #expect("\(warning.metadata["effects"] ?? "")".contains("[order/a]"))
    }

    @Test("A store service reports and logs what it has cancelled beside what has not ended")
    func cancelsBesideWhatHangs() async throws {
      orders.receive(.order("a", taking: .seconds(30)))
      orders.receive(.sleep(.seconds(30)).finally(.sleep(.seconds(60)).id("hangs")))
      let error = try await #require(
        #expect(throws: StoreServiceError.self) { try await service().shutdown() })
      #expect(orders.lines == ["a reserved", "a released"])
      let shutdown = try #require(error.failedShutdowns.first)
      #expect(shutdown.cancelled.compactMap(\.identifier).contains(EffectID("order").appending("a")))
      #expect(shutdown.error?.inFlight.compactMap(\.identifier) == ["hangs"])
      let entry = try #require(log.entries.first { $0.level == .error })
      #expect("\(entry.metadata["effects"] ?? "")".contains("[hangs]"))
      #expect("\(entry.metadata["cancelled"] ?? "")".contains("[order/a]"))
    }

    @Test(
      "A store service keeps timers, streams and bindings while effects drain, if asked to", arguments: [false, true])
    func keepsSources(isAskedFor: Bool) async throws {
      orders.receive(.timer(.seconds(1), id: "beat") { _ in .set { $0.count += 1 } })
      orders.receive(.order("a", taking: .milliseconds(3_500)))
      let reports = try await service(keepingSources: isAskedFor).shutdown()
      #expect(orders.count == (isAskedFor ? 3 : 0))
      #expect(orders.lines == ["a reserved", "a sent"])
      #expect(reports[0].cancelled.compactMap(\.identifier) == (isAskedFor ? ["beat"] : []))
      #expect(!log.entries.contains { $0.level >= .warning }, "the end of a timer that was kept is no matter")
      #expect(simulation.clock.now.offset == .milliseconds(3_500))
    }

    @Test("Cancelling a shutdown ends the draining and the sources that it kept")
    func keptSourcesAreCancelled() async throws {
      orders.receive(.timer(.seconds(1), id: "beat") { _ in .set { $0.count += 1 } })
      orders.receive(.order("a", taking: .seconds(10)))
      let stopping = Task { try await service(keepingSources: true).shutdown() }
      try await simulation.clock.sleep(for: .milliseconds(4_500))
      stopping.cancel()
      _ = try await stopping.value
      #expect(orders.count == 4)
      #expect(orders.lines == ["a reserved", "a released"])
    }

    @Test("A shutdown throws an error that names what did not end, and leaves all stores inactive")
    func notEnded() async throws {
      orders.receive(.none.finally(.sleep(.seconds(60))).id("stuck"))
      let error = try #require(await #expect(throws: StoreServiceError.self) { try await service().shutdown() })
      #expect(error.code == .notEnded)
      #expect(error.failedShutdowns.map(\.store) == ["orders"])
      #expect(error.failedShutdowns[0].error?.inFlight.compactMap(\.identifier) == ["stuck"])
      #expect(orders.phase == .inactive && board.phase == .inactive)
      #expect(simulation.clock.now.offset == .seconds(25), "drain and cleanup")
      #expect(log.entries.contains { $0.level == .error && $0.metadata["store"] == "orders" })
    }

    @Test("Stores share the limits of a shutdown, so the time that one takes is missing for the next")
    func sharedLimits() async throws {
      orders.receive(.order("a", taking: .seconds(15)))
      board.receive(.order("b", taking: .seconds(30)))
      let reports = try await service().shutdown()
      #expect(simulation.clock.now.offset == .seconds(20))
      #expect(orders.lines.last == "a sent" && board.lines.last == "b released")
      #expect(reports[1].cancelled.first?.identifier == EffectID("order").appending("b"))
    }

    @Test("The cleanups of all stores share one limit in equal parts")
    func sharedCleanup() async throws {
      let slow = NotesStore.Effect.sleep(.seconds(60)).finally(.sleep(.seconds(3)))
      orders.receive(slow)
      board.receive(slow)
      let error = await #expect(throws: StoreServiceError.self) { try await service().shutdown() }
      #expect(error?.failedShutdowns.map(\.store) == ["orders", "board"])
      #expect(simulation.clock.now.offset == .seconds(25))
    }

    @Test("A shutdown keeps no cleanup time for a store that only has timers, streams and bindings")
    func cleanupOfSources() async throws {
      orders.receive(.sleep(.seconds(60)).finally(.concatenate(.sleep(.seconds(4)), .note("done"))))
      board.receive(.timer(.seconds(1), id: "heartbeat") { _ in .none })
      board.bind(id: "orders", to: orders, on: \.lines) { lines in .set(\.lines, to: lines) }
      try await service().shutdown()
      #expect(orders.lines == ["done"] && board.lines == orders.lines)
    }

    @Test("Cleanup time that a store does not need goes to the next store", arguments: [false, true])
    func cleanupLeft(isCancelled: Bool) async throws {
      orders.receive(.sleep(.seconds(60)).finally(.sleep(.seconds(1))))
      board.receive(.sleep(.seconds(60)).finally(.concatenate(.sleep(.seconds(3)), .note("done"))))
      let stopping = Task { try await service().shutdown() }
      try await simulation.clock.sleep(for: .seconds(4))
      if isCancelled { stopping.cancel() }
      _ = try await stopping.value
      #expect(board.lines == ["done"])
      #expect(simulation.clock.now.offset == .seconds(isCancelled ? 8 : 24))
    }

    /// The ways in which a store comes to have something to clean up, unseen at the beginning of the shutdown.
    enum LateWork: CaseIterable { case ofTimer, receivedMeanwhile }

    @Test(
      "A shutdown keeps cleanup time for what timers have begun, and what begins while others drain",
      arguments: LateWork.allCases)
    func lateWork(_ work: LateWork) async throws {
      let hung = Obstacle()
      orders.receive(
        .task {
          await hung.wait()
          return .none
        })
      let reserved = NotesStore.Effect.sleep(.seconds(60)).finally(.concatenate(.sleep(.seconds(1)), .note("released")))
      if work == .ofTimer { board.receive(.timer(.seconds(1), id: "beat") { _ in reserved.id("late", .keepFirst) }) }
      let stopping = Task { try await service().shutdown() }
      try await simulation.clock.sleep(for: .seconds(4))
      if work == .receivedMeanwhile { board.receive(reserved) }
      await #expect(throws: StoreServiceError.self) { try await stopping.value }
      #expect(board.lines == ["released"])
      #expect(board.inFlight.isEmpty)
      hung.remove()
    }

    @Test("An operation that never ends does not skip the cleanup of another store", arguments: [false, true])
    func hungOperation(isCancelled: Bool) async throws {
      let hung = Obstacle()
      orders.receive(
        .task {
          await hung.wait()
          return .none
        })
      board.receive(.sleep(.seconds(60)).finally(.concatenate(.sleep(.seconds(2)), .note("cleaned up"))))
      let stopping = Task { try await service().shutdown() }
      try await simulation.clock.sleep(for: .seconds(4))
      if isCancelled { stopping.cancel() }
      let error = await #expect(throws: StoreServiceError.self) { try await stopping.value }
      #expect(error?.failedShutdowns.map(\.store) == ["orders"])
      #expect(board.lines == ["cleaned up"])
      hung.remove()
    }

    @Test("Cancelling a shutdown ends the draining, and skips no cleanup")
    func cancelled() async throws {
      orders.receive(.order("a", taking: .seconds(30)))
      board.receive(.order("b", taking: .seconds(30)))
      let stopping = Task { try await service().shutdown() }
      try await simulation.clock.sleep(for: .seconds(4))
      #expect(orders.phase == .draining)
      stopping.cancel()
      let reports = try await stopping.value
      #expect(orders.lines.last == "a released" && board.lines.last == "b released")
      #expect(reports.allSatisfy { !$0.cancelled.isEmpty })
      #expect(simulation.clock.now.offset == .seconds(4))
    }

    @Test("A cancelled shutdown reports cancelled effects for their own store only")
    func cancelledInOneStore() async throws {
      orders.receive(.order("a", taking: .seconds(30)))
      let stopping = Task { try await service().shutdown() }
      try await simulation.clock.sleep(for: .seconds(4))
      stopping.cancel()
      let reports = try await stopping.value
      #expect(reports.map(\.cancelled.isEmpty) == [false, true])
    }

    @Test("A cancelled shutdown gives cleanups their whole time, and no more")
    func cancelledCleanup() async throws {
      orders.receive(.sleep(.seconds(60)).finally(.sleep(.seconds(60))).id("stuck"))
      let stopping = Task { try await service().shutdown() }
      try await simulation.clock.sleep(for: .seconds(4))
      stopping.cancel()
      let error = await #expect(throws: StoreServiceError.self) { try await stopping.value }
      #expect(error?.failedShutdowns[0].error?.inFlight.compactMap(\.identifier) == ["stuck"])
      #expect(simulation.clock.now.offset == .seconds(9))
      #expect(orders.phase == .inactive && board.phase == .inactive)
    }

    @Test("A store service cancels with cleanup when its group is cancelled without a graceful shutdown")
    func groupCancelled() async throws {
      orders.receive(.order("a", taking: .seconds(30)))
      let running = Task { try await service().run() }
      try await simulation.clock.sleep(for: .seconds(1))
      running.cancel()
      try await running.value
      #expect(orders.lines == ["a reserved", "a released"])
    }

    @Test("A store service ends with its group of services")
    func group() async throws {
      struct Ending: Service {
        let clock: TestClock
        func run() async throws { try await clock.sleep(for: .seconds(3)) }
      }
      orders.receive(.order("a", taking: .seconds(10)))
      let group = ServiceGroup(
        configuration: .init(
          services: [
            .init(service: service()),
            .init(service: Ending(clock: simulation.clock), successTerminationBehavior: .gracefullyShutdownGroup),
          ], logger: Logger(label: "test") { _ in log }))
      try await group.run()
      #expect(orders.lines == ["a reserved", "a sent"])
      #expect(simulation.clock.now.offset == .seconds(10))
    }

    @Test("A group of services throws the store service's error that names what did not end")
    func groupFails() async throws {
      orders.receive(.none.finally(.sleep(.seconds(60))).id("stuck"))
      let group = ServiceGroup(
        configuration: .init(services: [.init(service: service())], logger: Logger(label: "test") { _ in log }))
      async let running: Void = group.run()
      await group.triggerGracefulShutdown()
      do {
        try await running
        Issue.record("It has ended without an error.")
      } catch let error as StoreServiceError {
        #expect(error.code == .notEnded && error.description.contains("stuck"))
      }
    }
  }
#endif
