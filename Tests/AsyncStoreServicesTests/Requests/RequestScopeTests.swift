#if Services
  import AsyncStoreServices
  import AsyncStoreTesting
  import Testing

  @Suite("The requests under a prefix", .simulated(atEnd: .cancels))
  struct RequestScopeTests {
    struct Refused: Error {}

    let simulation: Simulation
    let store: NotesStore

    init() throws {
      simulation = try #require(Simulation.current)
      store = simulation.notes()
    }

    @Test("Each request has an identifier of its own under the prefix")
    func identifiers() async throws {
      let requests = RequestScope(store, under: "request")
      for _ in 1...2 { try requests.receive(.sleep(.seconds(1))) }
      let identifiers = store.inFlight.compactMap(\.identifier)
      #expect(Set(identifiers).count == 2)
      #expect(identifiers.allSatisfy { $0.isUnder("request") })
    }

    @Test("A request begins on its caller's actor")
    @MainActor
    func isolation() async throws {
      let store = NotesStore(
        state: Notes(), env: (), clock: simulation.clock, isolation: MainActor.shared, executor: simulation.executor)
      // It has the actor as soon as the caller suspends.
      let next = Task { store.lines }
      try await RequestScope(store, under: "request").run(.concatenate(.note("begun"), .task { .none }))
      #expect(await next.value == ["begun"])
    }

    @Test("A request is not replaced by one with an identifier that a user has numbered")
    func ownNumbers() async throws {
      let requests = RequestScope(store, under: "request")
      let first = try requests.receive(.order("a", taking: .seconds(1)))
      try await requests.run(.note("b"), id: EffectID("request").appending(1))
      #expect(await first.outcome.isFinished)
    }

    @Test("A request returns when all of its effects have settled, and throws their error")
    func outcome() async throws {
      let requests = RequestScope(store, under: "request")
      try await requests.run(.task { .concatenate(.sleep(.seconds(1)), .note("done")) })
      #expect(store.lines == ["done"])
      await #expect(throws: Refused.self) { try await requests.run(.task { throw Refused() }) }
    }

    @Test("A request is cancelled with the task of its client, and has cleaned up when it returns")
    func clientGone() async throws {
      let requests = RequestScope(store, under: "request")
      let client = Task { try await requests.run(.order("a", taking: .seconds(10))) }
      try await simulation.clock.sleep(for: .seconds(1))
      client.cancel()
      await #expect(throws: CancellationError.self) { try await client.value }
      #expect(store.lines == ["a reserved", "a released"])
    }

    @Test("A request tells its client if something else has cancelled its effect")
    func cancelledByOthers() async throws {
      let requests = RequestScope(store, under: "request")
      let id = EffectID("request").appending("x")
      func isToldSo(_ cancel: () async throws -> Void) async throws -> Bool {
        let client = Task { try await requests.run(.order("a", taking: .seconds(10)), id: id) }
        try await simulation.clock.sleep(for: .seconds(1))
        try await cancel()
        do {
          try await client.value
          return false
        } catch {
          return (error as? StoreServiceError)?.code == .cancelled
        }
      }
      #expect(try await isToldSo { store.receive(.cancel(id)) })
      #expect(try await isToldSo { try await requests.run(.note("b"), id: id) })
      let inactive = simulation.notes()
      inactive.deactivate()
      let partial = Task { try await requests.run(.sequence(.lift(.note("c"), to: inactive), .note("d"))) }
      await #expect { try await partial.value } throws: { ($0 as? StoreServiceError)?.code == .cancelled }
      #expect(try await isToldSo { try await store.shutdown(drain: .zero, cleanup: .seconds(1)) })
    }

    @Test("A request of a client that is already cancelled does nothing")
    func clientGoneBefore() async throws {
      let requests = RequestScope(store, under: "request")
      let client = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await requests.run(.note("never"))
      }
      await #expect(throws: CancellationError.self) { try await client.value }
      #expect(store.lines == [])
    }

    @Test("A request keeps its place until it has cleaned up")
    func cleaningUp() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1)
      let client = Task { try await requests.run(.sleep(.seconds(60)).finally(.sleep(.seconds(3)))) }
      try await simulation.clock.sleep(for: .seconds(1))
      client.cancel()
      try await simulation.clock.sleep(for: .seconds(1))
      let error = await #expect(throws: StoreServiceError.self) { try await requests.run(.note("early")) }
      #expect(error?.code == .busy)
      await #expect(throws: CancellationError.self) { try await client.value }
      #expect(simulation.clock.now.offset == .seconds(4))
      try await requests.run(.note("next"))
      #expect(store.lines == ["next"])
    }

    @Test("A request with another one's identifier takes its place, even if there is only one place")
    func replaced() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1)
      let first = try requests.receive(.sleep(.seconds(60)), id: "request 1")
      let second = try requests.receive(.concatenate(.sleep(.seconds(1)), .note("second")), id: "request 1")
      #expect(await first.outcome.isCancelled)
      #expect(await second.outcome.isFinished && store.lines == ["second"])
    }

    @Test("A request that replaces another one begins when that one's operation has returned")
    func replacedOperation() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1)
      let obstacle = Obstacle()
      let operation = NotesStore.Effect.task {
        await obstacle.wait()
        return .note("never")
      }
      let first = try requests.receive(operation, id: "request 1")
      try await simulation.clock.sleep(for: .seconds(1))
      let second = try requests.receive(.note("second"), id: "request 1")
      #expect(store.lines == [] && second.outcomeIfSettled == nil)
      obstacle.remove()
      let outcomes = await (first.outcome, second.outcome)
      #expect(outcomes.0.isCancelled && outcomes.1.isFinished)
      #expect(store.lines == ["second"])
    }

    @Test("A request that is only received continues without its client")
    func received() async throws {
      let requests = RequestScope(store, under: "request")
      let client = Task { try requests.receive(.order("a", taking: .seconds(10))) }
      let handle = try await client.value
      client.cancel()
      #expect(await handle.outcome.isFinished)
      #expect(store.lines.last == "a sent")
    }

    @Test("Requests are refused as busy when all places are taken, and accepted when one is free")
    func busy() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1, capacity: 1)
      let first = try requests.receive(.sleep(.seconds(1)))
      let second = try requests.receive(.sleep(.seconds(1)))
      for _ in 1...2 {
        let error = await #expect(throws: StoreServiceError.self) { try await requests.run(.note("third")) }
        #expect(error?.code == .busy)
        #expect(throws: StoreServiceError.self) { try requests.receive(.note("third")) }
      }
      _ = await (first.outcome, second.outcome)
      #expect(simulation.clock.now.offset == .seconds(2))
      try await requests.run(.note("fourth"))
      #expect(store.lines == ["fourth"])
    }

    @Test("Requests that wait for a place are counted, and cancelled with the prefix")
    func waiting() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1, capacity: 10)
      let service = StoreService(["store": store], counting: ["request"], clock: simulation.clock)
      let handles = try (1...3).map { _ in try requests.receive(.sleep(.seconds(1))) }
      #expect(service.health.stores[0].inFlightByPrefix == ["request": 3])
      store.receive(.cancel(prefix: "request"))
      for handle in handles { #expect(await handle.outcome.isCancelled) }
    }

    @Test("A store that is shut down refuses requests as unavailable")
    func unavailable() async throws {
      let requests = RequestScope(store, under: "request")
      try await store.shutdown()
      let error = await #expect(throws: StoreServiceError.self) { try await requests.run(.note("late")) }
      #expect(error?.code == .unavailable)
      #expect(throws: StoreServiceError.self) { try requests.receive(.note("late")) }
    }
  }
#endif
