// mistake: A modifier of an effect that has no type yet
// expected: cannot infer contextual base
// instead: `FeedStore.Effect.task { … }.retry(…)` in a constant

import AsyncStore

func load() {
  let effect = .task { .none }.retry(.constant(.seconds(1)))
}
