import AsyncStore
import Testing

@testable import HostWatch

@Suite("The store of a part of the machine", .timeLimit(.minutes(1)))
struct GaugeStoreTests {
  let clock = ManualClock()
  let host: FakeHost

  init() {
    host = FakeHost(clock)
  }

  @Test("takes a reading at once, and one each interval")
  func interval() async throws {
    let store = GaugeStore<MemoryState>(watching: host.host, clock: clock)
    store.start(every: .seconds(2))
    try await store.wait(for: \.history.values, toEqual: [0])
    for used in 1...3 {
      host.set { $0.memory = .success(MemoryReading(total: 100, available: UInt64(100 - used))) }
      clock.advance(by: .seconds(2))
      try await store.wait(for: \.history.values.count, toEqual: used + 1)
    }
    #expect(store.history.values == [0, 0.01, 0.02, 0.03])
    try await store.shutdown()
  }

  @Test("computes rates from the time between two readings")
  func rates() async throws {
    let store = GaugeStore<NetworkState>(watching: host.host, clock: clock)
    await store.run(.reading)
    host.set { $0.network = 3000 }
    clock.advance(by: .seconds(2))
    await store.run(.reading)
    #expect(store.traffic.rates == [ByteRates(name: "eth0", incoming: 1500, outgoing: 0)])
  }

  @Test("keeps an error in its state until a reading succeeds again")
  func failure() async throws {
    let store = GaugeStore<MemoryState>(watching: host.host, clock: clock)
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

  @Test("has nothing in flight after its shutdown, and reads nothing more")
  func shutdown() async throws {
    let store = GaugeStore<MemoryState>(watching: host.host, clock: clock)
    store.start(every: .seconds(1))
    try await store.wait(for: \.history.values.count, toEqual: 1)
    #expect(store.inFlight.compactMap(\.identifier) == ["memory.timer"])
    try await store.shutdown()
    #expect(store.inFlight.isEmpty)
    clock.advance(by: .seconds(10))
    #expect(await store.run(.reading).isFinished == false)
    #expect(store.history.values.count == 1)
  }
}
