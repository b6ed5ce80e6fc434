import AsyncStore
import AsyncStoreServices
import CoreMetrics
import Logging
import Synchronization
import Tracing

/// A server that does the same as another one, in its own way.
struct Contender: Sendable {
  let name: String
  /// The least throughput, and the longest p99, as parts of the first contender's; `nil` for none.
  var least: Double?
  var longest: Double?
  let handle: @Sendable (Int) async throws -> Void
}

extension Contender {
  static var commits: [Contender] {
    let shop = ActorShop(Partner(latency: .zero))
    let store = Shop(state: Book(), env: Partner(latency: .zero))
    return [
      Contender(name: "actor") { _ in await shop.count() },
      Contender(name: "store, receive", least: 0.9) { _ in store.receive(.set { $0.done += 1 }) },
      Contender(name: "store, run", least: 0.9) { _ in await store.run(.set { $0.done += 1 }) },
    ]
  }

  static func orders(_ latency: Duration) -> [Contender] {
    let partner = Partner(latency: latency)
    let shop = ActorShop(partner)
    let store = Shop(state: Book(), env: partner)
    return [
      Contender(name: "actor, without any of it") { try await shop.fulfil($0) },
      Contender(name: "store, with retry, time limit and undo", least: 0.75, longest: 1.3) {
        await store.run(.fulfil($0))
      },
    ]
  }

  /// Stores with and without instruments whose backends do little, so that the instruments' own cost is seen.
  static var instruments: [Contender] {
    var logger = Logger(label: "orders") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .notice
    let (log, metrics) = (LogInstrument(logger), MetricsInstrument(factory: CountingFactory()))
    let spans = TracingInstrument(tracer: CountingTracer())
    let all: [(String, (any StoreInstrument)?)] = [
      ("store", nil), ("with the log", log), ("with metrics", metrics), ("with spans", spans),
      ("with log, metrics and spans", CombinedInstrument(log, metrics, spans)),
    ]
    return all.map { name, instrument in
      let store = Shop(state: Book(), env: Partner(latency: .zero), name: "orders", instrument: instrument)
      return Contender(name: name, least: instrument == nil ? nil : 0.8) { await store.run(.fulfil($0)) }
    }
  }
}

extension Contender {
  /// An actor with spans by hand, and with all that the instruments do: the measure of what they cost a store.
  static var byHand: [Contender] {
    let partner = Partner(latency: .zero)
    let traced = TracedPartner(partner: partner)
    let (shop, spans, all) = (ActorShop(partner), ActorShop(traced), ActorShop(MeasuredPartner(partner: traced)))
    return [
      Contender(name: "actor") { try await shop.fulfil($0) },
      Contender(name: "actor with spans by hand") { try await spans.fulfil($0) },
      Contender(name: "actor with log, metrics and spans by hand") { try await all.fulfil($0) },
    ]
  }
}

/// Carries out the steps of orders.
protocol Partners: Sendable {
  func call(_ step: String, _ id: Int) async throws
}

/// A partner that answers after a time, or at once.
struct Partner: Partners {
  let latency: Duration

  func call(_ step: String, _ id: Int) async throws {
    if latency > .zero { try await Task.sleep(for: latency) }
  }
}

/// A partner that is called in the spans of a ``TracingInstrument``, with their attributes, made by hand.
struct TracedPartner: Partners {
  let partner: Partner
  private let tracer = CountingTracer()

  init(partner: Partner) { self.partner = partner }

  func call(_ name: String, _ id: Int) async throws {
    try await tracer.withSpan("retry") { step in
      step.attributes = attributes("retry", id)
      try await tracer.withSpan("task") { operation in
        try await partner.call(name, id)
        var own = attributes("task", id)
        own["asyncstore.attempt"] = 1
        own["asyncstore.outcome"] = "finished"
        operation.attributes = own
      }
    }
  }

  private func attributes(_ kind: String, _ id: Int) -> SpanAttributes {
    ["asyncstore.store": "orders", "asyncstore.kind": .string(kind), "asyncstore.effect": .int64(Int64(id))]
  }
}

/// A partner that is called with a log's metadata and the metrics of a ``MetricsInstrument``, by hand.
struct MeasuredPartner<Partner: Partners>: Partners {
  let partner: Partner
  private let commits = Counter(label: "commits", dimensions: [("store", "orders")], factory: CountingFactory())
  private let active = Meter(label: "active", dimensions: [("store", "orders")], factory: CountingFactory())
  private let duration = CoreMetrics.Timer(
    label: "duration", dimensions: [("store", "orders"), ("kind", "task"), ("outcome", "finished")],
    preferredDisplayUnit: .nanoseconds, factory: CountingFactory())
  private let running = Numbers()

  init(partner: Partner) { self.partner = partner }

  func call(_ name: String, _ id: Int) async throws {
    let begun = ContinuousClock.now
    active.set(running.change(by: 1))
    try await Step.$current.withValue(Step(name: name, id: id)) { try await partner.call(name, id) }
    active.set(running.change(by: -1))
    duration.recordNanoseconds(Int64((ContinuousClock.now - begun) / .nanoseconds(1)))
    commits.increment(by: 2)
  }
}

/// The step that a task carries out, for the lines that it logs.
struct Step {
  @TaskLocal static var current: Step?

  let name: String
  let id: Int
}

/// The state that both keep: the stage of each open order, and a count of those that are done.
struct Book: Sendable, Equatable {
  enum Stage: Sendable { case reserving, charging, shipping }

  var open: [Int: Stage] = [:]
  var done = 0
}

/// A hand-written service, without retries, limits in time, or a way to take back what has happened.
actor ActorShop<Partner: Partners> {
  private let partner: Partner
  private var book = Book()

  init(_ partner: Partner) { self.partner = partner }

  func count() { book.done += 1 }

  func fulfil(_ id: Int) async throws {
    book.open[id] = .reserving
    try await partner.call("reserve", id)
    book.open[id] = .charging
    try await partner.call("charge", id)
    book.open[id] = .shipping
    try await partner.call("ship", id)
    book.open[id] = nil
    book.done += 1
  }
}

/// The same, as a store of which each step has retries, a limit in time, and an undo.
typealias Shop = AsyncStore<Book, Partner>

extension Shop.Effect {
  static func fulfil(_ id: Int) -> Self {
    .sequence(
      .set { $0.open[id] = .reserving }.compensate(with: .set { $0.open[id] = nil }),
      .step("reserve", id).compensate(with: .step("release", id)),
      .set { $0.open[id] = .charging },
      .step("charge", id).compensate(with: .step("refund", id)),
      .set { $0.open[id] = .shipping },
      .step("ship", id),
      .set { book in
        book.open[id] = nil
        book.done += 1
      })
  }

  private static func step(_ name: String, _ id: Int) -> Self {
    Self.perform { partner in
      try await partner.call(name, id)
      return .none
    }
    .timeout(.seconds(2), else: .task { throw TimedOut() })
    .retry(.exponential(first: .milliseconds(20)).limitedTo(attempts: 4))
  }
}

struct TimedOut: Error {}

/// Numbers of orders.
final class Numbers: Sendable {
  private let last = Atomic<Int>(0)

  func next() -> Int { change(by: 1) }
  func change(by difference: Int) -> Int { last.add(difference, ordering: .relaxed).newValue }
}

/// A backend that adds up what it is told.
struct CountingFactory: MetricsFactory {
  final class Sum: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private let sum = Atomic<Int64>(0)

    func increment(by amount: Int64) { sum.add(amount, ordering: .relaxed) }
    func increment(by amount: Double) { increment(by: Int64(amount)) }
    func decrement(by amount: Double) { increment(by: -amount) }
    func set(_ value: Int64) { sum.store(value, ordering: .relaxed) }
    func set(_ value: Double) { set(Int64(value)) }
    func record(_ value: Int64) { increment(by: value) }
    func record(_ value: Double) { increment(by: value) }
    func recordNanoseconds(_ duration: Int64) { increment(by: duration) }
    func reset() { set(Int64(0)) }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Sum() }
  func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    Sum()
  }
  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { Sum() }
  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { Sum() }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Sum() }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
