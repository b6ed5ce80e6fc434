// mistake: A list of effects without its label
// expected: cannot pass array of type '[FeedStore.Effect]' (aka 'Array<AsyncStore<Feed, UserService>.Effect>') as variadic arguments
// instead: `.concatenate(effects: list)`

import AsyncStore

func run(_ list: [FeedStore.Effect], in store: FeedStore) {
  store.receive(.concatenate(list))
}
