// mistake: A misspelled member of the environment
// expected: value of type 'UserService' has no member 'itms'
// instead: `service.items()`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(.perform { service in .set(\.items, to: try await service.itms()) })
}
