// mistake: A timer without an identifier
// expected: missing argument for parameter 'id' in call
// instead: `.timer(.seconds(1), id: "tick") { … }`

import AsyncStore

func tick(_ store: FeedStore) {
  store.receive(.timer(.seconds(1)) { _ in .set { $0.count += 1 } })
}
