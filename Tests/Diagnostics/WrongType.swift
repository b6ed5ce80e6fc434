// mistake: A value of the wrong type
// expected: cannot convert value of type 'String' to expected argument type 'Int'
// instead: a value of the property's type

import AsyncStore

func count(_ store: FeedStore) {
  store.receive(.set(\.count, to: "3"))
}
