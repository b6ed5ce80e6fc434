// mistake: A number for a timeout
// expected: cannot convert value of type 'Int' to expected argument type 'Duration'
// instead: `.seconds(5)`

import AsyncStore

func load(_ store: FeedStore) {
  store.receive(FeedStore.Effect.task { .none }.timeout(5))
}
