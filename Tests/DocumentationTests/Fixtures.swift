import AsyncStoreActions
import Foundation
import Synchronization

// Types that the documents' snippets may use without declaring them.

/// A state for small examples.
struct Counter: Sendable, Equatable {
  var count = 0
  var isLoading = false
  var user: String?
  var query = ""
  var items: [String] = []
  var message = ""
}

typealias CounterStore = AsyncStore<Counter, UserService>

/// A model for small examples.
struct Tally: Model, Codable {
  enum Action: Sendable, Equatable, Codable { case increment, add(Int) }
  var count = 0

  static func update(_ state: inout Tally, _ action: Action) -> Effect {
    switch action {
    case .increment: state.count += 1
    case .add(let number): state.count += number
    }
    return .none
  }
}

/// A model that contains another one.
struct Page: Model {
  enum Action: Sendable { case tally(Tally.Action) }
  var tally = Tally()

  static func update(_ state: inout Page, _ action: Action) -> Effect {
    switch action {
    case .tally(let action): update(Part(\.tally), of: &state, action, as: Action.tally)
    }
  }
}

/// A service that answers at once.
struct UserService: Sendable {
  struct Unavailable: Error {}

  private let failures = Failures()

  func user() async throws -> String { "Ada" }
  func items() async throws -> [String] { ["one", "two"] }

  /// Fails the first two times.
  func unreliableItems() async throws -> [String] {
    if failures.next() <= 2 { throw Unavailable() }
    return ["one", "two"]
  }

  /// Never returns by itself.
  func hang() async throws {
    for await _ in (AsyncStream<Never> { _ in }) {}
    throw CancellationError()
  }

  func fail() async throws { throw Unavailable() }

  private final class Failures: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }
}

/// An instrument that keeps the events it receives.
final class Recorder: StoreInstrument {
  private let recorded = Mutex<[String]>([])

  var lines: [String] { recorded.withLock { $0 } }

  func record(_ event: InstrumentEvent) { recorded.withLock { $0.append(event.description) } }
}

/// An instrument that keeps the events that it is told of.
final class EventRecorder: StoreInstrument {
  private let recorded = Mutex<[InstrumentEvent]>([])

  var events: [InstrumentEvent] { recorded.withLock { $0 } }

  func record(_ event: InstrumentEvent) { recorded.withLock { $0.append(event) } }
}

/// A folder that is removed when its last reference is released.
final class TemporaryFolder: Sendable {
  /// The folder's location.
  ///
  /// The first writer creates the folder.
  let url = URL.temporaryDirectory.appending(path: "AsyncStore-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A new set of the values that the snippets use, for each test.
struct Fixture: Sendable {
  let service = UserService()
  let folder = TemporaryFolder()
  let store = CounterStore(state: Counter(), env: UserService()) { .set(\.message, to: "\($0)") }
}

/// A suite of snippets; its members are in scope in each of them.
protocol SnippetSuite: Sendable {
  var fixture: Fixture { get }
}

extension SnippetSuite {
  var store: CounterStore { fixture.store }
  var service: UserService { fixture.service }
  var folder: URL { fixture.folder.url }
  var credentials: String { "Ada" }
  var load: CounterStore.Effect { .perform { service in .set(\.items, to: try await service.items()) } }
  var save: CounterStore.Effect { .append("saved", to: \.items) }
  var journal: CounterStore { CounterStore(state: Counter(), env: service) }

  func fetchCount() async throws -> Int { 3 }
  func login(_ name: String) async throws -> CounterStore.Effect { .set(\.user, to: name) }
}
