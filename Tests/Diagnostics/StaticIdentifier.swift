// mistake: A static member of `EffectID` without its type
// expected: type 'Hashable' has no member 'refresh'
// instead: `.cancel(EffectID.refresh)`

import AsyncStore

extension EffectID {
  static let refresh = EffectID("refresh")
}

func stop(_ store: FeedStore) {
  store.receive(.cancel(.refresh))
}
