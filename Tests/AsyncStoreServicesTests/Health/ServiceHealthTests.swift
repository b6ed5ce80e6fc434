#if Services
  import AsyncStoreServices
  import AsyncStoreTesting
  import Foundation
  import Testing

  @Suite("The health of a service", .simulated(time: .manual, atEnd: .cancels))
  struct ServiceHealthTests {
    let simulation: Simulation
    let store: NotesStore
    let service: StoreService

    init() throws {
      simulation = try #require(Simulation.current)
      store = simulation.notes()
      service = StoreService(["orders": store], counting: ["order", "export"], clock: simulation.clock)
    }

    var health: StoreHealth { service.health.stores[0] }

    @Test("The health of a store at rest is active, with nothing in flight")
    func atRest() {
      store.bind(id: "own", to: \.count) { _ in .none }
      store.receive(.timer(.seconds(1), id: "tick") { _ in .none })
      #expect(service.health.isReady && service.health.phase == .active)
      #expect(health.inFlightCount == 0)
      #expect(health.oldestAge == nil)
      #expect(health.inFlightByPrefix == ["order": 0, "export": 0])
    }

    @Test("Health counts effects until they have settled, in all and by prefix, with the age of the oldest")
    func counts() async {
      store.receive(.timer(.seconds(100), id: "tick") { _ in .none })
      store.receive(.order("a", taking: .seconds(10)))
      await simulation.clock.advance(by: .seconds(4))
      store.receive(.order("b", taking: .seconds(10)))
      for _ in 1...3 { store.receive(.sleep(.seconds(60)).id("export", .atMost(1, capacity: 1))) }
      #expect(health.inFlightCount == 4, "the third is refused")
      #expect(health.inFlightByPrefix == ["order": 2, "export": 2])
      #expect(health.oldestAge == .seconds(4))
      await simulation.clock.advance(by: .seconds(6))
      #expect(health.inFlightByPrefix == ["order": 1, "export": 2])
      #expect(health.oldestAge == .seconds(6))
      store.receive(.cancel(prefix: "order"))
      store.receive(.cancel("export"))
      #expect(health.inFlightByPrefix == ["order": 0, "export": 0])
      #expect(health.inFlightCount == 0)
      #expect(health.oldestAge == nil)
    }

    @Test("Health counts effects that began before the service was created")
    func late() {
      for number in 1...2 { store.receive(.sleep(.seconds(1)).id(EffectID("late").appending(number))) }
      let second = StoreService(["orders": store], counting: ["late", "late"], clock: simulation.clock)
      #expect(second.health.stores[0].inFlightByPrefix == ["late": 2])
    }

    @Test("Health counts the cleanup of a cancelled effect")
    func cleanup() async {
      store.receive(.sleep(.seconds(60)).finally(.sleep(.seconds(5))).id(EffectID("order").appending("a")))
      store.receive(.cancel(prefix: "order"))
      await simulation.clock.advance(by: .seconds(4))
      #expect(health.inFlightCount == 1)
      #expect(health.inFlightByPrefix["order"] == 1)
      #expect(health.oldestAge == .seconds(4))
      await simulation.clock.advance(by: .seconds(1))
      #expect(health.inFlightCount == 0)
      #expect(health.inFlightByPrefix["order"] == 0)
      #expect(health.oldestAge == nil)
    }

    @Test("Health counts the cleanup of a tree that was cancelled as a whole, with its age")
    func cleanupOfTree() async {
      let handle = store.receive(.sleep(.seconds(60)).finally(.sleep(.seconds(5))).id(EffectID("order").appending("a")))
      await simulation.clock.advance(by: .seconds(1))
      handle.cancel()
      await simulation.clock.advance(by: .seconds(4))
      #expect(health.inFlightCount == 1)
      #expect(health.inFlightByPrefix["order"] == 1)
      #expect(health.oldestAge == .seconds(5))
      await simulation.clock.advance(by: .seconds(1))
      #expect(health.inFlightCount == 0)
      #expect(health.oldestAge == nil)
    }

    @Test("Health counts a tree in flight and the cleanup of a cancelled one as two")
    func cleanupBesideATree() async {
      store.receive(.order("a", taking: .seconds(60)))
      let handle = store.receive(.sleep(.seconds(60)).finally(.sleep(.seconds(5))))
      await simulation.clock.advance(by: .seconds(1))
      handle.cancel()
      await simulation.clock.advance(by: .seconds(1))
      #expect(health.inFlightCount == 2)
      await simulation.clock.advance(by: .seconds(4))
      #expect(health.inFlightCount == 1)
    }

    @Test("Health has the age of the cleanup of an effect that a cancelled timer had begun")
    func cleanupOfTimer() async {
      let handle = store.receive(
        .timer(.seconds(1), id: "tick") { _ in .sleep(.seconds(60)).finally(.sleep(.seconds(5))) })
      await simulation.clock.advance(by: .seconds(1))
      #expect(health.oldestAge == nil)
      handle.cancel()
      await simulation.clock.advance(by: .seconds(4))
      #expect(health.inFlightCount == 1 && health.oldestAge == .seconds(4))
      await simulation.clock.advance(by: .seconds(1))
      #expect(health.inFlightCount == 0 && health.oldestAge == nil)
    }

    @Test("The health of a service that drains says so, and is not ready")
    func draining() async throws {
      store.receive(.order("a", taking: .seconds(10)))
      let stopping = Task { try await service.shutdown() }
      await simulation.clock.advance(by: .seconds(1))
      #expect(!service.health.isReady)
      #expect(service.health.phase == .draining)
      #expect(health.inFlightCount == 1)
      await simulation.clock.advance(by: .seconds(9))
      _ = try await stopping.value
      #expect(service.health.phase == .inactive)
    }

    @Test("The health of a service says that it cleans up once the time for draining is over")
    func cleaningUp() async throws {
      store.receive(.sleep(.seconds(60)).finally(.sleep(.seconds(3))))
      let stopping = Task { try await service.shutdown() }
      await simulation.clock.advance(by: .seconds(21))
      #expect(service.health.phase == .cleaningUp && !service.health.isReady)
      await simulation.clock.advance(by: .seconds(2))
      _ = try await stopping.value
      #expect(service.health.phase == .inactive)
    }

    @Test("Health is encoded with the sum of the counts of prefixes that read the same")
    func encodedPrefixes() async throws {
      let service = StoreService(["orders": store], counting: [EffectID(1), "1"], clock: simulation.clock)
      store.receive(.sleep(.seconds(60)).id(EffectID(1).appending("a")))
      for name in ["a", "b"] { store.receive(.sleep(.seconds(60)).id(EffectID("1").appending(name))) }
      let text = String(decoding: try JSONEncoder().encode(service.health), as: UTF8.self)
      #expect(text.contains(#""inFlightByPrefix":{"1":3}"#))
    }

    @Test("Health is encoded with its phase, its counts and seconds")
    func encoded() async throws {
      store.receive(.order("a", taking: .seconds(10)))
      await simulation.clock.advance(by: .milliseconds(250))
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      #expect(
        String(decoding: try encoder.encode(service.health), as: UTF8.self)
          == #"{"phase":"active","stores":[{"inFlight":1,"inFlightByPrefix":{"export":0,"order":1},"name":"orders","oldestSeconds":0.25,"phase":"active"}]}"#
      )
    }
  }
#endif
