// mistake: An `AnyHashable` for an identifier
// expected: conformance of 'AnyHashable' to 'Sendable' is unavailable
// instead: a string, or a type of your own that is `Hashable` and `Sendable`

import AsyncStore

func stop(_ store: FeedStore, _ id: AnyHashable) {
  store.receive(.cancel(id))
}
