// mistake: An effect of another store
// expected: cannot convert parent type 'AsyncStore<Basket, Void>' to expected type 'AsyncStore<Feed, UserService>'
// instead: `.lift(effect, to: baskets)`

import AsyncStore

func empty(_ store: FeedStore) {
  let effect: AsyncStore<Basket, Void>.Effect = .set(\.count, to: 0)
  store.receive(effect)
}
