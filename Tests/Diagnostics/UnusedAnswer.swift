// mistake: An `update` whose answer nobody looks at
// expected: result of call to 'update(isolation:file:line:_:)' is unused
// instead: `store.receive(.set { $0.count += 1 })`

import AsyncStore

func count(_ store: FeedStore) {
  store.update { state in
    state.count += 1
    return state.count
  }
}
