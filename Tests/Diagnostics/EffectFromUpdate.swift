// mistake: An effect as the answer of `store.update`
// expected: an effect is not interpreted here; use 'receive(.update { … })'
// instead: `store.receive(.update { … })`

import AsyncStore

func load(_ store: FeedStore) {
  store.update { state in
    state.count += 1
    return .set(\.items, to: [])
  }
}
