// mistake: No `try` before an operation
// expected: call can throw, but it is not marked with 'try'
// instead: `try await service.items()`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(.perform { service in .set(\.items, to: await service.items()) })
}
