// mistake: A binding to what is not `Equatable`
// expected: requires that 'Feed.Draft' conform to 'Equatable'
// instead: `struct Draft: Equatable, Sendable`

import AsyncStore

func watch(_ store: FeedStore) {
  store.bind(id: "draft", to: \.draft) { _ in .none }
}
