// mistake: A property of the state that is named like a member of the store
// expected: generic parameter 'Value' could not be inferred
// instead: `store.state.values`

import AsyncStore

struct Prices: Sendable { var values: [String: Int] = [:] }

func count(_ store: AsyncStore<Prices, Void>) -> Int {
  store.values.count
}
