import AsyncStore
import Synchronization

/// The state of a client's feature: some text, a list, numbers.
struct Feed: Sendable {
  var query = ""
  var items: [String] = []
  var selection: Int?
  var count = 0
}

struct FeedService: Sendable {
  let load: @Sendable (Int) async throws -> Int
}

typealias FeedStore = AsyncStore<Feed, FeedService>

/// A feature as clients write it: a class with a store, and functions that make its effects.
///
/// Nothing is inlined into the loop that measures, as nothing is into a button or a handler of requests.
final class FeedModel: Sendable {
  let store = FeedStore(state: Feed(), env: FeedService { $0 + 1 })

  @inline(never)
  func increment() { store.receive(.set { $0.count += 1 }) }

  @inline(never)
  func changeCount(to count: Int) { store.receive(.set(\.count, to: count)) }

  @inline(never)
  func incrementAwaiting() async { await store.run(.set { $0.count += 1 }) }

  @inline(never)
  func increment(times count: Int) { for _ in 0..<count { store.receive(.set { $0.count += 1 }) } }

  @inline(never)
  func incrementAwaiting(times count: Int) async { for _ in 0..<count { await store.run(.set { $0.count += 1 }) } }

  @inline(never)
  func select(_ numbers: Range<Int>) { store.receive(.concatenate(effects: numbers.map(Self.select))) }

  @inline(never)
  private static func select(_ number: Int) -> FeedStore.Effect {
    .set {
      $0.selection = number
      $0.count += 1
    }
  }

  @inline(never)
  static func load(_ number: Int) -> FeedStore.Effect {
    .perform { service in
      let next = try await service.load(number)
      return .set {
        $0.selection = next
        $0.count += 1
      }
    }
  }

  @inline(never)
  func search(_ number: Int) {
    store.receive(
      .perform(id: "search") { _ in
        try await Task.sleep(for: .seconds(3_600))
        return .set { $0.selection = number }
      })
  }
}

/// The same by hand, with a mutex.
final class HandWrittenFeed: Sendable {
  let state = Mutex(Feed())
  private let service = FeedService { $0 + 1 }
  private let current = Mutex<Task<Void, any Error>?>(nil)

  @inline(never)
  func increment() { state.withLock { $0.count += 1 } }

  @inline(never)
  func changeCount(to count: Int) { state.withLock { $0.count = count } }

  @inline(never)
  func select(_ numbers: Range<Int>) {
    for number in numbers { select(number) }
  }

  @inline(never)
  private func select(_ number: Int) {
    state.withLock {
      $0.selection = number
      $0.count += 1
    }
  }

  @inline(never)
  func load(_ number: Int) async throws { select(try await service.load(number)) }

  @inline(never)
  func search(_ number: Int) {
    let task = Task {
      try await Task.sleep(for: .seconds(3_600))
      state.withLock { $0.selection = number }
    }
    let old = current.withLock { current in
      defer { current = task }
      return current
    }
    old?.cancel()
  }

  func cancel() { current.withLock { $0 }?.cancel() }
}

/// The same by hand, with an actor.
actor FeedActor {
  private(set) var feed = Feed()

  @inline(never)
  func increment() { feed.count += 1 }
}
