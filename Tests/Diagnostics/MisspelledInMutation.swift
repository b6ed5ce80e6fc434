// mistake: A misspelled property in a mutation
// expected: value of type 'Feed' has no member 'cuont'
// instead: `state.count`

import AsyncStore

func count(_ store: FeedStore) {
  store.receive(.set { state in state.cuont += 1 })
}
