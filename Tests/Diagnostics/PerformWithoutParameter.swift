// mistake: A `perform` that takes nothing
// expected: expects 1 argument, which cannot be implicitly ignored
// instead: `.task { … }`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(.perform { .set(\.count, to: 1) })
}
