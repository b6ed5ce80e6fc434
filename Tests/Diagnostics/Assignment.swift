// mistake: An assignment to the store
// expected: cannot assign through dynamic lookup property: 'store' is a 'let' constant
// instead: `store.receive(.set(\.count, to: 3))`

import AsyncStore

func count(_ store: FeedStore) {
  store.count = 3
}
