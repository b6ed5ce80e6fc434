// mistake: A binding to a misspelled property
// expected: value of type 'Feed' has no member 'cuont'
// instead: `\.count`

import AsyncStore

func watch(_ store: FeedStore) {
  store.bind(id: "count", to: \.cuont) { _ in .none }
}
