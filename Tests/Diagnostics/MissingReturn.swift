// mistake: No `return` after several statements
// expected: value of type '[String]' has no member 'set'
// instead: `return .set(…)`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(
    .perform { service in
      let items = try await service.items()
        .set(\.items, to: items)
    })
}
