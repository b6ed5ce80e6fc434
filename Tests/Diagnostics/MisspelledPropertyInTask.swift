// mistake: The same in what a task returns
// expected: value of type 'Feed' has no member 'cuont'
// instead: `\.count`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(.task { .set(\.cuont, to: 1) })
}
