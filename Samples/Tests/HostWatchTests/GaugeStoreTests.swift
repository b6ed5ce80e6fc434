import AsyncStore
import AsyncStoreTesting
import Testing

@testable import HostWatch

@Suite("The store of a part of the machine", .simulated(time: .manual))
struct GaugeStoreTests {
  let simulation: Simulation
  let clock: TestClock
  let host: FakeHost

  init() throws {
    simulation = try #require(Simulation.current)
    clock = simulation.clock
    host = FakeHost(clock)
  }

  func store<Part: Gauge>() -> GaugeStore<Part> {
    let store = GaugeStore<Part>(watching: host.host, clock: clock, executor: simulation.executor)
    simulation.watch(store)
    return store
  }

  @Test("A gauge store takes a reading at once and then one each interval")
  func interval() async throws {
    let store: GaugeStore<MemoryState> = store()
    store.start(every: .seconds(2))
    await clock.advance(by: .zero)
    #expect(store.history.values == [0])
    for used in 1...3 {
      host.set { $0.memory = .success(MemoryReading(total: 100, available: UInt64(100 - used))) }
      await clock.advance(by: .seconds(2) - .nanoseconds(1))
      #expect(store.history.values.count == used)
      await clock.advance(by: .nanoseconds(1))
      #expect(store.history.values.count == used + 1)
    }
    #expect(store.history.values == [0, 0.01, 0.02, 0.03])
    try await store.shutdown()
  }

  @Test("A gauge store computes rates from the time between two readings")
  func rates() async throws {
    let store: GaugeStore<NetworkState> = store()
    await store.run(.reading)
    host.set { $0.network = 3000 }
    await clock.advance(by: .seconds(2))
    await store.run(.reading)
    #expect(store.traffic.rates == [ByteRates(name: "eth0", incoming: 1500, outgoing: 0)])
  }

  @Test("A gauge store keeps an error in its state until a reading succeeds")
  func failure() async throws {
    let store: GaugeStore<MemoryState> = store()
    await store.run(.reading)
    host.set { $0.memory = .failure(HostError(code: .unreadable, source: "/proc/meminfo", reason: "gone")) }
    await store.run(.reading)
    #expect(store.failure == "/proc/meminfo: gone")
    #expect(store.history.values == [0])
    host.set { $0.memory = .success(MemoryReading(total: 100, available: 50)) }
    await store.run(.reading)
    #expect(store.failure == nil)
    #expect(store.history.values == [0, 0.5])
  }

  @Test("A gauge store has nothing in flight after its shutdown and takes no more readings")
  func shutdown() async throws {
    let store: GaugeStore<MemoryState> = store()
    store.start(every: .seconds(1))
    await clock.advance(by: .zero)
    #expect(store.inFlight.compactMap(\.identifier) == ["memory.timer"])
    try await store.shutdown()
    #expect(store.inFlight.isEmpty)
    await clock.advance(by: .seconds(10))
    #expect(await store.run(.reading).isFinished == false)
    #expect(store.history.values.count == 1)
  }
}
