// mistake: A default value in a key path
// expected: subscript index of type '() -> Int' in a key path must be Hashable
// instead: `.set { $0.counts[key] = 3 }`

import AsyncStore

struct Visits: Sendable { var counts: [String: Int] = [:] }

func count(_ store: AsyncStore<Visits, Void>, _ key: String) {
  store.receive(.set(\.counts[key, default: 0], to: 3))
}
