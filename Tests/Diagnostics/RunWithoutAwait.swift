// mistake: A `run` without `await`
// expected: expression is 'async' but is not marked with 'await'
// instead: `await store.run(…)`

import AsyncStore

func load(_ store: FeedStore) async {
  store.run(.sleep(.seconds(1)))
}
