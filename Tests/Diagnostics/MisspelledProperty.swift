// mistake: A misspelled property of the state
// expected: value of type 'Feed' has no member 'itms'
// instead: `\.items`

import AsyncStore

func clear(_ store: FeedStore) {
  store.receive(.set(\.itms, to: []))
}
