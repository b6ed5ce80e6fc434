// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/Services.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

#if Services
import AsyncStore
import AsyncStoreServices
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import ServiceLifecycle
import Synchronization
import Testing

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/Services.md")
struct AsyncStoreAsyncStoreServicesSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 1 of Services.md yields what its comments say") func snippet1() async throws {
    let stores = StoreService(["orders": store], drain: .seconds(20), cleanup: .seconds(5), counting: ["order"])
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: stores)], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "orders")))

    store.receive(.concatenate(.sleep(.milliseconds(1)), .set(\.count, to: 3)).id(EffectID("order").appending(7)))
    async let running: Void = group.run()
    await group.triggerGracefulShutdown()
    try await running
    #expect(store.count == 3)
    #expect(store.phase == .inactive)
  }

  @Test("Snippet 2 of Services.md yields what its comments say") func snippet2() {
    let service = StoreService(["orders": store], counting: ["order"])
    store.receive(.sleep(.seconds(60)).id(EffectID("order").appending(7)))
    let health = service.health
    #expect(health.isReady == true)
    #expect(health.stores[0].inFlightCount == 1)
    #expect(health.stores[0].inFlightByPrefix == ["order": 1])
    #expect((health.stores[0].oldestAge ?? .zero < .seconds(60)) == true)
  }

  @Test("Snippet 3 of Services.md yields what its comments say") func snippet3() async throws {
    let log = InMemoryLogHandler()
    let logger = Logger(label: "orders") { _ in log }
    let service = StoreService(["orders": store], drain: .zero, logger: logger)
    store.receive(.sleep(.seconds(60)).id("order 7"))
    try await service.shutdown()
    #expect(log.entries.contains { "\($0.metadata)".contains("order 7") } == true)
  }

  @Test("Snippet 4 of Services.md yields what its comments say") func snippet4() async throws {
    let load: CounterStore.Effect = .perform { env in .set(\.items, to: try await env.items()) }
    let outcome = await store.run(load.timeout(.seconds(5), else: .set(\.message, to: "too slow")))
    #expect(outcome.isFinished == true)
    #expect(store.items == ["one", "two"])
  }

  @Test("Snippet 5 of Services.md yields what its comments say") func snippet5() async {
    enum Request {
      @TaskLocal static var id = 0
    }

    await Request.$id.withValue(7) {
      _ = await store.run(.concatenate(.sleep(.milliseconds(1)), .task { .set(\.count, to: Request.id) }))
    }
    #expect(store.count == 7)
  }

  @Test("Snippet 6 of Services.md yields what its comments say") func snippet6() async throws {
    let requests = RequestScope(store, under: "request", atMost: 2, capacity: 0)
    for _ in 1...2 { try requests.receive(.sleep(.seconds(60))) }
    do {
      try await requests.run(.set(\.count, to: 1))
    } catch let error as StoreServiceError {
      #expect(error.code == .busy)
    }
  }

  @Test("Snippet 7 of Services.md yields what its comments say") func snippet7() async {
    let busy = IdentifierPolicy.atMost(1, capacity: 1)
    store.receive(.sleep(.seconds(60)).id("export", busy))
    store.receive(.sleep(.seconds(60)).id("export", busy))
    let refused = await store.run(.set(\.count, to: 1).id("export", busy))
    #expect("\(refused)" == "dropped")
  }

  @Test("Snippet 8 of Services.md yields what its comments say") func snippet8() async throws {
    var board = store.values(of: \.count, buffering: .newest(1)).makeAsyncIterator()
    var log = store.values(of: \.count, failingBehind: 2).makeAsyncIterator()
    for count in 1...9 { store.receive(.set(\.count, to: count)) }
    #expect(await board.next() == 9)
    do {
      _ = try await log.next()
    } catch {
      #expect(error.code == .slowReader)
    }
  }

  @Test("Snippet 9 of Services.md yields what its comments say") func snippet9() async throws {
    let schedule = RetrySchedule.exponential(first: .milliseconds(1)).capped(at: .milliseconds(4)).jittered(by: 0.5)
      .limitedTo(attempts: 5)
    await store.run(.perform { env in .set(\.items, to: try await env.unreliableItems()) }.retry(schedule))
    #expect(store.items == ["one", "two"])
  }

  @Test("Snippet 10 of Services.md yields what its comments say") func snippet10() async throws {
    @Sendable func step(_ name: String) -> CounterStore.Effect { .task { .append(name, to: \.items) } }

    let order: CounterStore.Effect = .sequence(
      step("reserve").compensate(with: step("release")),
      step("charge").compensate(with: step("refund")),
      .task { try await service.hang(); return step("ship") })
    store.receive(order.id("order 7"))
    try await store.wait(for: \.items, toEqual: ["reserve", "charge"])
    store.receive(.concatenate(.cancel("order 7"), .join("order 7"), step("cancelled")))
    try await store.wait(for: \.items) { $0.last == "cancelled" }
    #expect(store.items == ["reserve", "charge", "refund", "release", "cancelled"])
  }

  @Test("Snippet 11 of Services.md yields what its comments say") func snippet11() async throws {
    let careful: CounterStore.Effect = .sequence(
      .none.compensate(with: .append("refunded, if charged", to: \.items)),
      .task { try await service.hang(); return .append("charged", to: \.items) },
      .append("shipped", to: \.items))
    store.receive(careful.id("order 8"))
    store.receive(.cancel("order 8"))
    try await store.wait(for: \.items) { !$0.isEmpty }
    #expect(store.items == ["refunded, if charged"])
  }

  @Test("Snippet 12 of Services.md yields what its comments say") func snippet12() async throws {
    @Sendable func order(_ number: Int) -> CounterStore.Effect {
      .sequence(
        .append("reserved \(number)", to: \.items).compensate(with: .append("released \(number)", to: \.items)),
        number < 2 ? .sleep(.milliseconds(1)) : .sleep(.seconds(36_000)),
        .append("shipped \(number)", to: \.items))
    }

    for number in 1...2 { store.receive(order(number).id("order \(number)")) }
    let cancelled = try await store.shutdown(drain: .milliseconds(200), cleanup: .seconds(5))
    #expect(store.items == ["reserved 1", "reserved 2", "shipped 1", "released 2"])
    #expect(cancelled.compactMap(\.identifier) == ["order 2"])
    #expect(store.phase == .inactive)
  }

  @Test("Snippet 13 of Services.md yields what its comments say") func snippet13() async throws {
    let (log, metrics, tracer) = (InMemoryLogHandler(), TestMetrics(), InMemoryTracer())
    let logger = Logger(label: "orders") { _ in log }
    let instrument = CombinedInstrument(
      LogInstrument(logger), MetricsInstrument(factory: metrics), TracingInstrument(tracer: tracer))
    let orders = CounterStore(state: Counter(), env: service, name: "orders", instrument: instrument)
    await orders.run(
      .concatenate(
        .perform { env in .set(\.items, to: try await env.unreliableItems()) }.retry(.constant(.zero)).label("load"),
        .set(\.count, to: 1)))
    let (commits, retries) = try (
      metrics.expectCounter("asyncstore.commits", [("store", "orders")]),
      metrics.expectCounter("asyncstore.retries", [("store", "orders"), ("label", "load")])
    )
    #expect(commits.totalValue == 2)
    #expect(retries.totalValue == 2)
    #expect(log.entries.map { "\($0.level) \($0.message)" } == ["notice Backed off", "notice Backed off"])
    #expect(tracer.finishedSpans.map(\.operationName) == ["load", "load", "load", "load"])
  }

  @Test("Snippet 14 of Services.md yields what its comments say") func snippet14() async throws {
    final class Failures: StoreInstrument {
      let journal: CounterStore

      init(journal: CounterStore) { self.journal = journal }

      func record(_ event: InstrumentEvent) {
        if case .failed(let error) = event.kind {
          journal.receive(.append("\(event.effect?.identifier ?? "-"): \(error)", to: \.items))
        }
      }
    }

    let journal = CounterStore(state: Counter(), env: service)
    let watched = CounterStore(state: Counter(), env: service, instrument: Failures(journal: journal))
    watched.receive(.task(id: "load") { try await service.fail(); return .none })
    try await journal.wait(for: \.items, toEqual: ["load: Unavailable()"])
    #expect(journal.items == ["load: Unavailable()"])
  }

  @Test("Snippet 15 of Services.md yields what its comments say") func snippet15() {
    final class EventRecorder: StoreInstrument {
      private let recorded = Mutex<[InstrumentEvent]>([])

      var events: [InstrumentEvent] { recorded.withLock { $0 } }

      func record(_ event: InstrumentEvent) { recorded.withLock { $0.append(event) } }
    }

    let recorder = EventRecorder()
    let orders = CounterStore(state: Counter(), env: service, name: "orders", instrument: recorder)
    orders.receive(.sleep(.seconds(60)).id("pause"))
    let number = orders.inFlight[0].id
    orders.deactivate()
    #expect(recorder.events.map(\.effect?.id) == [number, number])
    #expect(recorder.events.map(\.store.name) == ["orders", "orders"])
  }

  @Test("Snippet 16 of Services.md yields what its comments say") func snippet16() async {
    enum Logging {
      @TaskLocal static var operation = ""
    }

    struct OperationNames: StoreInstrument {
      let interests: InstrumentInterests = .operations

      func record(_ event: InstrumentEvent) {}

      func wrapOperation(
        _ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody
      ) async {
        _ = await Logging.$operation.withValue("\(store) \(operation.label ?? "-")") { await body() }
      }
    }

    let traced = CounterStore(state: Counter(), env: service, name: "orders", instrument: OperationNames())
    await traced.run(.task { .set(\.message, to: Logging.operation) }.label("charge"))
    #expect(traced.message == "orders charge")
  }

  @Test("Snippet 17 of Services.md yields what its comments say") func snippet17() async {
    let own = CounterStore(state: Counter(), env: service, executor: globalConcurrentExecutor)
    await own.run(.task { .set(\.count, to: 1) })
    #expect(own.count == 1)
  }

  @Test("Snippet 18 of Services.md yields what its comments say") func snippet18() async {
    let bound = CounterStore(state: Counter(), env: service, isolation: MainActor.shared)
    let count = await MainActor.run {
      bound.receive(.set(\.count, to: 1))
      return bound.count
    }
    #expect(count == 1)
  }
}
#endif
