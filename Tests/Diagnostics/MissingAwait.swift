// mistake: No `await` before an operation
// expected: expression is 'async' but is not marked with 'await'
// instead: `try await service.items()`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(.perform { service in .set(\.items, to: try service.items()) })
}
