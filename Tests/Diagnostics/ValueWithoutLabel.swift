// mistake: A value for a key path without its label
// expected: no exact matches in call to static method 'set'
// instead: `.set(\.count, to: 3)`

import AsyncStore

func run(in store: FeedStore) {
  store.receive(.set(\.count, 3))
}
