// mistake: A property of the state that is named like a property of every store
// expected: type 'StorePhase' has no member 'done'
// instead: `store.state.phase`

import AsyncStore

struct Rollout: Sendable {
  enum Phase { case running, done }

  var phase = Phase.running
}

func isDone(_ store: AsyncStore<Rollout, Void>) -> Bool {
  store.phase == .done
}
