// mistake: An operation that answers with a value
// expected: cannot convert value of type '[String]' to closure result type 'AsyncStore<Feed, UserService>.Effect'
// instead: `.perform { .set(\.items, to: try await $0.items()) }`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(.perform { service in try await service.items() })
}
