// mistake: A variable that an operation changes
// expected: mutation of captured var 'calls' in concurrently-executing code
// instead: a property of the state

import AsyncStore

func load(_ store: FeedStore) {
  var calls = 0
  store.receive(
    .task {
      calls += 1
      return .none
    })
}
