// mistake: The same in a closure of several statements
// expected: value of type 'UserService' has no member 'itms'
// instead: `service.items()`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(
    .perform { service in
      let items = try await service.itms()
      return .set(\.items, to: items)
    })
}
