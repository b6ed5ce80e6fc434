/// The fibers that a pass still has to step while other threads have the lock.
final class Suspension {
  var ready = UniqueArray<FiberID>()
  let resumption: PassResumption

  init(_ resumption: PassResumption) { self.resumption = resumption }
}

/// The data for continuing a suspended pass.
struct PassResumption {
  /// The tree whose prefix the pass is part of, if there is one.
  var tree: FiberID?
  /// The time of the event.
  var instant: Moment?
  var deadline: Moment?
  var hasWaits: Bool
  /// True if something has to happen in other stores first.
  var awaitsOthers: Bool
  /// The deliveries that the pass follows from, and the height of the ready stack down to which it does.
  var followed: DeliveryLineage?
  var followedHeight: Int
}
