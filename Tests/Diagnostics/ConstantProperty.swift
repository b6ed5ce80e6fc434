// mistake: A property that is a `let`
// expected: cannot convert value of type 'any KeyPath<Feed, Int> & Sendable' to expected argument type 'WritableKeyPath<Feed, Int>'
// instead: a `var`

import AsyncStore

func number(_ store: FeedStore) {
  store.receive(.set(\.id, to: 2))
}
