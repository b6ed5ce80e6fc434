#if Services
  import AsyncStoreTesting
  import MetricsTestKit
  import Testing

  @testable import AsyncStore
  @testable import AsyncStoreServices

  @Suite("The metrics of a store", .simulated(time: .manual, atEnd: .cancels))
  struct MetricsInstrumentTests {
    let simulation: Simulation
    let metrics = TestMetrics()
    let store: NotesStore

    init() throws {
      simulation = try #require(Simulation.current)
      store = simulation.notes("orders", MetricsInstrument(factory: metrics))
    }

    private func count(_ name: String, _ labels: (String, String)...) throws -> Int64 {
      try metrics.expectCounter(name, [("store", "orders")] + labels).totalValue
    }

    private func level(_ name: String, _ labels: (String, String)...) throws -> Double? {
      try metrics.expectMeter(name, [("store", "orders")] + labels).lastValue
    }

    private func times(_ name: String, _ labels: (String, String)...) throws -> [Int64] {
      try metrics.expectTimer(name, [("store", "orders")] + labels).values
    }

    @Test("Metrics count commits, and time what takes time by its outcome")
    func durations() async throws {
      store.receive(.concatenate(.set(\.count, to: 1), .sleep(.seconds(2)), .set(\.count, to: 2)))
      #expect(try level("asyncstore.effects.active") == 1)
      store.receive(.sleep(.seconds(9)).id("slow"))
      await simulation.clock.advance(by: .seconds(3))
      store.receive(.cancel("slow"))
      #expect(try count("asyncstore.commits") == 2)
      #expect(try times("asyncstore.effects.duration", ("kind", "sleep"), ("outcome", "finished")) == [2_000_000_000])
      #expect(try times("asyncstore.effects.duration", ("kind", "sleep"), ("outcome", "cancelled")) == [3_000_000_000])
      #expect(try level("asyncstore.effects.active") == 0)
    }

    @Test("Metrics count retries, failures and time limits by label")
    func failures() async throws {
      let flaky = Flaky(failures: 3)
      let charge = NotesStore.Effect.task {
        try await flaky.call()
        return .none
      }
      store.receive(charge.retry(.constant(.seconds(1)).limitedTo(attempts: 3)).label("charge"))
      store.receive(.sleep(.seconds(9)).timeout(.seconds(1)).label("wait"))
      await simulation.clock.advance(by: .seconds(5))
      #expect(try count("asyncstore.retries", ("label", "charge")) == 2)
      #expect(try count("asyncstore.timeouts", ("label", "wait")) == 1)
      let failed = metrics.counters.filter { $0.label == "asyncstore.failures" }
      #expect(failed.reduce(0) { $0 + $1.totalValue } == 1)
    }

    @Test("Metrics count recovered errors apart from failures")
    func recoveries() async throws {
      let fails = NotesStore.Effect.task { throw Flaky.Failure() }
      await store.run(fails.label("load").recover { _ in fails.label("fallback") })
      #expect(try count("asyncstore.recoveries", ("kind", "task"), ("label", "load")) == 1)
      #expect(try count("asyncstore.failures", ("kind", "task"), ("label", "fallback")) == 1)
      #expect(metrics.counters.filter { $0.label == "asyncstore.failures" }.count == 1)
    }

    @Test("Metrics count no failure of an operation that was cancelled")
    func cancelledFailures() async {
      let handle = store.receive(
        .task {
          try? await simulation.clock.sleep(for: .seconds(60))
          throw Flaky.Failure()
        })
      await simulation.clock.advance(by: .seconds(1))
      handle.cancel()
      await simulation.clock.advance(by: .seconds(1))
      #expect(await handle.outcome.isCancelled)
      #expect(!metrics.counters.contains { $0.label == "asyncstore.failures" })
    }

    @Test("Metrics count what waits, what was refused and what came too late")
    func queues() async throws {
      for _ in 1...4 { store.receive(.sleep(.seconds(2)).id("export", .atMost(1, capacity: 2)).label("export")) }
      #expect(try level("asyncstore.waiting", ("reason", "place")) == 2)
      #expect(try count("asyncstore.effects.dropped", ("label", "export")) == 1)
      await simulation.clock.advance(by: .seconds(7))
      #expect(try level("asyncstore.waiting", ("reason", "place")) == 0)
      let waits = metrics.timers.filter { $0.label == "asyncstore.wait" }.flatMap(\.values)
      #expect(waits == [2_000_000_000, 4_000_000_000])
      store.deactivate()
      store.receive(.set(\.count, to: 1))
      #expect(try count("asyncstore.effects.ignored") == 1)
    }

    @Test("Metrics time how late timers tick")
    func lateness() async throws {
      store.receive(.timer(.seconds(1), id: "tick") { _ in .none })
      await simulation.clock.advance(by: .seconds(2))
      #expect(metrics.timers.filter { $0.label == "asyncstore.timer.lateness" }.flatMap(\.values) == [0, 0])
    }

    @Test("Metrics never have an identifier as a label")
    func cardinality() async throws {
      for number in 1...100 { store.receive(.sleep(.seconds(1)).id(EffectID("order").appending(number))) }
      await simulation.clock.advance(by: .seconds(1))
      #expect(metrics.timers.count == 1)
      #expect(try times("asyncstore.effects.duration", ("kind", "sleep"), ("outcome", "finished")).count == 100)
    }

    @Test("Metrics add up the stores of one name")
    func sameName() async throws {
      let instrument = MetricsInstrument(factory: metrics)
      let (first, second) = (simulation.notes("twins", instrument), simulation.notes("twins", instrument))
      first.receive(.sleep(.seconds(1)))
      second.receive(.sleep(.seconds(2)))
      #expect(try metrics.expectMeter("asyncstore.effects.active", [("store", "twins")]).lastValue == 2)
      await simulation.clock.advance(by: .seconds(1))
      #expect(try metrics.expectMeter("asyncstore.effects.active", [("store", "twins")]).lastValue == 1)
      second.receive(.cancelAll())
    }

    @Test("Metrics forget a thousand stores that have come and gone, and so does the backend")
    func manyStores() throws {
      let instrument = MetricsInstrument(factory: metrics)
      for number in 1...1_000 {
        let store = NotesStore(
          state: Notes(), env: (), name: number.isMultiple(of: 2) ? "user \(number)" : nil, clock: simulation.clock,
          executor: simulation.executor, instrument: instrument)
        store.receive(.concatenate(.set(\.count, to: number), .sleep(.seconds(60))))
        store.receive(.sleep(.seconds(60)).id("export", .atMost(1)))
        store.receive(.sleep(.seconds(60)).id("export", .atMost(1)))
      }
      #expect(metrics.counters.count <= MetricsTable.limit)
      #expect(metrics.timers.count <= 4 * MetricsTable.limit && metrics.meters.count <= 2 * MetricsTable.limit)
      #expect(metrics.meters.allSatisfy { $0.lastValue == 0 }, "nothing of a store that is gone is in flight, or waits")
    }

    @Test("Metrics forget stores without a name before those with one")
    func namedLast() {
      var table = MetricsTable(factory: metrics)
      let named = table.metrics(of: StoreIdentity(name: "orders", number: 0))
      for number in 1...1_000 { _ = table.metrics(of: StoreIdentity(name: nil, number: UInt64(number))) }
      #expect(table.metrics(of: StoreIdentity(name: "orders", number: 0)) === named)
    }

    @Test("Metrics keep a store without a name in which something is in flight or waits", arguments: [true, false])
    func busyWithoutName(isInFlight: Bool) {
      var table = MetricsTable(factory: metrics)
      let busy = StoreIdentity(name: nil, number: 0)
      let (kept, effect) = (table.metrics(of: busy), StoreMetrics.Effect(store: 0, number: 1))
      if isInFlight { kept.begin(effect, at: .zero) } else { kept.beginWaiting(effect, at: .zero, for: .place) }
      for number in 1...1_000 { _ = table.metrics(of: StoreIdentity(name: nil, number: UInt64(number))) }
      #expect(table.metrics(of: busy) === kept)
    }

    @Test("Metrics forget stores at rest, and keep those with something in flight")
    func boundedTable() {
      var table = MetricsTable(factory: metrics)
      let busy = StoreIdentity(name: "busy", number: 0)
      let kept = table.metrics(of: busy)
      kept.begin(StoreMetrics.Effect(store: 0, number: 1), at: .zero)
      for number in 1...5_000 {
        _ = table.metrics(of: StoreIdentity(name: nil, number: UInt64(number)))
        _ = table.metrics(of: StoreIdentity(name: "request", number: UInt64(10_000 + number)))
        #expect(table.count <= MetricsTable.limit)
      }
      #expect(table.metrics(of: busy) === kept)
    }
  }
#endif
