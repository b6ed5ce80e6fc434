/// A place in the line of those that wait for the store's actor.
struct Turn {
  var fiber: FiberID
  /// True if the fiber's effect follows from a delivery; it has its turn alone, as a consequence of that.
  var followsDelivery: Bool
}
