// The other clients are links to this file.

import AsyncStore
import AsyncStoreActions
import Synchronization

nonisolated struct Feed: Sendable { var items: [String] = [], isLoading = false, count = 0 }

struct UserService: Sendable {
  func items() async throws -> [String] { ["one", "two"] }
}

typealias FeedStore = AsyncStore<Feed, UserService>

extension FeedStore {
  func refresh() -> EffectHandle { receive(.task(load, "refresh")) }

  private func load() async throws -> Effect { .set(\.items, to: try await env.items()) }

  func next() -> Int? {
    update { state in
      state.count += 1
      return state.count
    }
  }
}

final class Log: StoreInstrument {
  let interests: InstrumentInterests = .operations
  private let operations = Mutex(0)

  var operationCount: Int { operations.withLock { $0 } }

  func record(_ event: InstrumentEvent) {}

  func wrapOperation(_ operation: EffectRecord, of store: StoreIdentity, _ body: OperationBody) async {
    operations.withLock { $0 += 1 }
    await body()
  }
}

let log = Log()
let store = FeedStore(state: Feed(), env: UserService(), instrument: log) { error in .append("\(error)", to: \.items) }
await store.run(
  .concatenate(
    .set(\.isLoading, to: true),
    .perform { service in .set(\.items, to: try await service.items()) }
      .retry(.exponential(first: .milliseconds(100)).limitedTo(attempts: 3))
      .timeout(.seconds(5)),
    .set(\.isLoading, to: false)
  ).id("refresh"))
precondition(store.items == ["one", "two"] && !store.isLoading)
precondition(log.operationCount == 1)

store.receive(.set(\.items, to: []))
guard case .finished = await store.refresh().outcome else { fatalError("the refresh has not finished") }
precondition(store.items == ["one", "two"])

store.bind(id: "count", to: \.items) { items in .set(\.count, to: items.count) }
precondition(store.count == 2)
precondition(store.next() == 3)
try await store.wait(for: \.count, toEqual: 3)
for await count in store.values(of: \.count).prefix(1) { precondition(count == 3) }

let ticking = store.receive(.timer(.seconds(60), id: "tick") { tick in .set(\.count, to: tick.index) })
store.receive(.cancel("tick"))
_ = await ticking.outcome

// A store of the main actor's, in code of the main actor's.
let views = FeedStore(state: Feed(), env: UserService(), isolation: MainActor.shared)
views.receive(.set(\.count, to: 5))
precondition(views.count == 5)
precondition(views.next() == 6)

struct Tally: Model {
  enum Action: Sendable { case increment, load }

  var count = 0

  static func update(_ state: inout Tally, _ action: Action) -> Effect {
    switch action {
    case .increment: state.count += 1
    case .load: return .task { .send(.increment) }
    }
    return .none
  }
}

let tally = StoreOf<Tally>(state: Tally(), env: ())
tally.send(.increment)
await tally.run(.load)
precondition(tally.count == 2)

try await store.shutdown()
precondition(store.next() == nil)
print("As expected.")
