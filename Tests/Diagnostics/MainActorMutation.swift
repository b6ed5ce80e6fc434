// mistake: A mutation that calls the main actor
// expected: call to main actor-isolated global function 'show()' in a synchronous nonisolated context
// instead: `bind` to the property, in a store with `isolation: MainActor.shared`

import AsyncStore

@MainActor func show() {}

func count(_ store: FeedStore) {
  store.receive(.set { _ in show() })
}
