/// A place in the line for the store's actor.
struct Turn {
  var fiber: FiberID
  /// True if the fiber's effect follows from a delivery.
  ///
  /// The effect then has a turn of its own, as a consequence of that delivery.
  var followsDelivery: Bool
}
