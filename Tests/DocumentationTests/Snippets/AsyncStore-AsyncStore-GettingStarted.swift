// swift-format-ignore-file
// Made from Sources/AsyncStore/AsyncStore.docc/GettingStarted.md.
// Don't edit it: edit the document, and make it anew with
//   ASYNCSTORE_REGENERATE_SNIPPETS=1 swift test --filter DocumentationTests.SnippetFileTests
// If it doesn't compile any more, delete it before.

import AsyncStore
import AsyncStoreTesting
import Testing

// Sources/RateService/Rates.swift

struct Rates: Equatable, Sendable {
  /// The price of one euro in each currency.
  var perEuro: [String: Double] = [:]
  /// The last problem with each currency.
  var problems: [String: String] = [:]
}

struct RateSource: Sendable {
  var rate: @Sendable (_ currency: String) async throws -> Double
}

typealias RateStore = AsyncStore<Rates, RateSource>

extension RateStore.Effect {
  static func load(_ currency: String) -> Self {
    .perform { source in
      let rate = try await source.rate(currency)
      return .set { state in
        state.perEuro[currency] = rate
        state.problems[currency] = nil
      }
    }
  }
}

extension RateStore.Effect {
  static func refresh(_ currency: String) -> Self {
    load(currency)
      .retry(.exponential(first: .milliseconds(200)).limitedTo(attempts: 3))
      .recover { error in .set { $0.problems[currency] = "\(error)" } }
      .timeout(.seconds(5), else: .set { $0.problems[currency] = "too slow" })
      .id(EffectID(currency).appending("refresh"))
  }
}

extension RateStore.Effect {
  static func watch(_ currency: String, every interval: Duration) -> Self {
    .merge(
      refresh(currency),
      .timer(interval, id: EffectID(currency).appending("watch")) { _ in refresh(currency) })
  }

  static func stop(_ currency: String) -> Self { .cancel(prefix: EffectID(currency)) }
}

// Tests/RateServiceTests/RatesTests.swift


@Suite("Rates")
struct RatesTests {
  struct Unreachable: Error {}

  @Test("A refresh makes three attempts, 200 and 400 milliseconds apart")
  func retries() async throws {
    try await simulate { simulation in
      let store = simulation.store(Rates(), env: RateSource { _ in throw Unreachable() })
      store.receive(.refresh("USD"))
      await simulation.clock.advance(by: .milliseconds(599))
      #expect(store.problems.isEmpty)
      await simulation.clock.advance(by: .milliseconds(1))
      #expect(store.problems == ["USD": "Unreachable()"])
    }
  }

  @Test("A refresh gives up after five seconds")
  func timesOut() async throws {
    try await simulate { simulation in
      let slow = RateSource { _ in
        try await simulation.clock.sleep(for: .seconds(60))
        return 1.08
      }
      let store = simulation.store(Rates(), env: slow)
      await store.run(.refresh("USD"))
      #expect(store.problems == ["USD": "too slow"])
      #expect(simulation.clock.now.offset == .seconds(5))
    }
  }

  @Test("A watched currency is refreshed at once and every minute, until it is stopped")
  func watches() async throws {
    try await simulate { simulation in
      // The rate is the time, so that each refresh shows.
      let source = RateSource { _ in Double(simulation.clock.now.offset.components.seconds) }
      let store = simulation.store(Rates(), env: source)
      store.receive(.watch("USD", every: .seconds(60)))
      await simulation.clock.advance(by: .zero)
      #expect(store.perEuro == ["USD": 0])
      await simulation.clock.advance(by: .seconds(120))
      #expect(store.perEuro == ["USD": 120])
      store.receive(.stop("USD"))
      await simulation.clock.advance(by: .seconds(3_600))
      #expect(store.perEuro == ["USD": 120])
    }
  }

  @Test("A refresh in flight ends before a shutdown does")
  func shutsDown() async throws {
    try await simulate { simulation in
      let source = RateSource { _ in
        try await simulation.clock.sleep(for: .seconds(2))
        return 1.08
      }
      let store = simulation.store(Rates(), env: source)
      store.receive(.watch("USD", every: .seconds(60)))
      let cancelled = try await store.shutdown()
      #expect(store.perEuro == ["USD": 1.08])
      #expect(cancelled.isEmpty)
    }
  }
}

@Suite("Snippets of Sources/AsyncStore/AsyncStore.docc/GettingStarted.md")
struct AsyncStoreAsyncStoreGettingStartedSnippets: SnippetSuite {
  let fixture = Fixture()

  @Test("Snippet 6 of GettingStarted.md yields what its comments say") func snippet6() async throws {
    // Sources/RateService/main.swift

    struct UnknownCurrency: Error {}

    let source = RateSource { currency in
      guard let rate = ["USD": 1.08, "CHF": 0.96][currency] else { throw UnknownCurrency() }
      return rate
    }
    let rates = RateStore(state: Rates(), env: source)
    for currency in ["USD", "CHF", "EURO"] { rates.receive(.watch(currency, every: .seconds(60))) }
    try await rates.wait(for: \.problems, toSatisfy: { !$0.isEmpty }, timeout: .seconds(60))
    let cancelled = try await rates.shutdown(drain: .seconds(20), cleanup: .seconds(5))
    for (currency, rate) in rates.perEuro.sorted(by: { $0.key < $1.key }) { print("1 EUR = \(rate) \(currency)") }
    for (currency, problem) in rates.problems { print("\(currency): \(problem)") }
    #expect(cancelled.isEmpty == true)
    #expect(rates.isActive == false)
  }
}
