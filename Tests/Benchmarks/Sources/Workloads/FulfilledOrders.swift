import AsyncStore
import Synchronization

/// S1: a service's orders of three steps, one after the other; partners answer at once.
struct FulfilledOrders: Workload {
  /// True if an instrument counts the store's events.
  var isInstrumented = false

  var name: String { isInstrumented ? "S1/instrument" : "S1" }
  var title: String {
    "an order of three steps, each with retry, time limit and undo" + (isInstrumented ? "; its events are counted" : "")
  }
  let counterpart = "an actor, without any of it"
  let metrics = [Metric()]
  let barSize = 1_000

  private enum Stage: Sendable { case reserving, charging, shipping }

  private struct Book: Sendable {
    var open: [Int: Stage] = [:]
    var done = 0
  }

  private typealias Shop = AsyncStore<Book, Void>
  private struct TimedOut: Error {}

  func ours(_ size: Int) async throws -> [Double] {
    let instrument = isInstrumented ? EventCount() : nil
    let shop = Shop(state: Book(), env: (), instrument: instrument)
    // As in any service something else sleeps too, so that the alarm is set.
    shop.receive(.sleep(.seconds(1)))
    let watch = Stopwatch()
    for number in 1...size { await shop.run(Self.order(number)) }
    let time = watch.nanoseconds(per: size)
    try require(shop.state.done, equals: size)
    let count = instrument?.count.load(ordering: .relaxed)
    try require(count.map { $0 >= 10 * size } ?? true, "only \(count ?? 0) events came")
    return [time]
  }

  private final class EventCount: StoreInstrument {
    let count = Atomic<Int>(0)
    let events: EventKinds = .all.subtracting(.cancelled)

    func record(_ event: InstrumentEvent) { count.add(1, ordering: .relaxed) }
  }

  private static func order(_ number: Int) -> Shop.Effect {
    .sequence(
      .set { $0.open[number] = .reserving }.compensate(with: .set { $0.open[number] = nil }),
      step().compensate(with: step()),
      .set { $0.open[number] = .charging },
      step().compensate(with: step()),
      .set { $0.open[number] = .shipping },
      step(),
      .set { book in
        book.open[number] = nil
        book.done += 1
      })
  }

  private static func step() -> Shop.Effect {
    Shop.Effect.task {
      try await callPartner()
      return .none
    }
    .timeout(.seconds(2), else: .task { throw TimedOut() })
    .retry(.exponential(first: .milliseconds(20)).limitedTo(attempts: 4))
  }

  @inline(never)
  private static func callPartner() async throws {}

  private actor HandWritten {
    private var book = Book()
    var done: Int { book.done }

    func fulfil(_ number: Int) async throws {
      book.open[number] = .reserving
      try await callPartner()
      book.open[number] = .charging
      try await callPartner()
      book.open[number] = .shipping
      try await callPartner()
      book.open[number] = nil
      book.done += 1
    }
  }

  func baseline(_ size: Int) async throws -> [Double] {
    let shop = HandWritten()
    let watch = Stopwatch()
    for number in 1...size { try await shop.fulfil(number) }
    let time = watch.nanoseconds(per: size)
    try require(await shop.done, equals: size)
    return [time]
  }
}
