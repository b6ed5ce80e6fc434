// mistake: A misspelled name deep in a list
// expected: value of type 'UserService' has no member 'itms'
// instead: `service.items()`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(
    .concatenate(
      .set(\.count, to: 1),
      .perform { service in .set(\.items, to: try await service.itms()) }.retry(.constant(.seconds(1))).id("load"),
      .set(\.count, to: 2)))
}
