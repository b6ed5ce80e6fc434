// mistake: A `task` that takes the environment
// expected: expects 0 arguments, but 1 was used
// instead: `.perform { service in … }`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(.task { service in .set(\.items, to: try await service.items()) })
}
