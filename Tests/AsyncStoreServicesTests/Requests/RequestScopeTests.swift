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

    @Test("have an identifier each, under the prefix")
    func identifiers() async throws {
      let requests = RequestScope(store, under: "request")
      for _ in 1...2 { try requests.receive(.sleep(.seconds(1))) }
      let identifiers = store.inFlight.compactMap(\.identifier)
      #expect(Set(identifiers).count == 2)
      #expect(identifiers.allSatisfy { $0.isUnder("request") })
    }

    @Test("are not replaced by those whose identifiers users have numbered")
    func ownNumbers() async throws {
      let requests = RequestScope(store, under: "request")
      let first = try requests.receive(.order("a", taking: .seconds(1)))
      try await requests.run(.note("b"), id: EffectID("request").appending(1))
      #expect(await first.outcome.isFinished)
    }

    @Test("return when all that they lead to has settled, and throw the error that they fail with")
    func outcome() async throws {
      let requests = RequestScope(store, under: "request")
      try await requests.run(.task { .concatenate(.sleep(.seconds(1)), .note("done")) })
      #expect(store.lines == ["done"])
      await #expect(throws: Refused.self) { try await requests.run(.task { throw Refused() }) }
    }

    @Test("are cancelled with the task of the client, and have cleaned up when that returns")
    func clientGone() async throws {
      let requests = RequestScope(store, under: "request")
      let client = Task { try await requests.run(.order("a", taking: .seconds(10))) }
      try await simulation.clock.sleep(for: .seconds(1))
      client.cancel()
      await #expect(throws: CancellationError.self) { try await client.value }
      #expect(store.lines == ["a reserved", "a released"])
    }

    @Test("tell a client that is still there that something else has cancelled its effect")
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

    @Test("do nothing for a client that has gone before")
    func clientGoneBefore() async throws {
      let requests = RequestScope(store, under: "request")
      let client = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await requests.run(.note("never"))
      }
      await #expect(throws: CancellationError.self) { try await client.value }
      #expect(store.lines == [])
    }

    @Test("keep their place until they have cleaned up")
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

    @Test("that take another one's identifier take its place too, also where there is but one")
    func replaced() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1)
      let first = try requests.receive(.sleep(.seconds(60)), id: "request 1")
      let second = try requests.receive(.concatenate(.sleep(.seconds(1)), .note("second")), id: "request 1")
      #expect(await first.outcome.isCancelled)
      #expect(await second.outcome.isFinished && store.lines == ["second"])
    }

    @Test("that take another one's place have it once the other one's operation has returned")
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

    @Test("go on without the client if they are only received")
    func received() async throws {
      let requests = RequestScope(store, under: "request")
      let client = Task { try requests.receive(.order("a", taking: .seconds(10))) }
      let handle = try await client.value
      client.cancel()
      #expect(await handle.outcome.isFinished)
      #expect(store.lines.last == "a sent")
    }

    @Test("are refused as busy when all places are taken, and taken again when one is free")
    func busy() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1, waiting: 1)
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

    @Test("that wait for a place are counted, and reached by a cancel of the prefix")
    func waiting() async throws {
      let requests = RequestScope(store, under: "request", atMost: 1, waiting: 10)
      let service = StoreService(["store": store], counting: ["request"], clock: simulation.clock)
      let handles = try (1...3).map { _ in try requests.receive(.sleep(.seconds(1))) }
      #expect(service.health.stores[0].inFlightByPrefix == ["request": 3])
      store.receive(.cancel(prefix: "request"))
      for handle in handles { #expect(await handle.outcome.isCancelled) }
    }

    @Test("are refused as unavailable by a store that is shut down")
    func unavailable() async throws {
      let requests = RequestScope(store, under: "request")
      try await store.shutdown()
      let error = await #expect(throws: StoreServiceError.self) { try await requests.run(.note("late")) }
      #expect(error?.code == .unavailable)
      #expect(throws: StoreServiceError.self) { try requests.receive(.note("late")) }
    }
  }
#endif
