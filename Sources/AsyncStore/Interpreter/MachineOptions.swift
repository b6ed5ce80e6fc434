/// The parts of a store's configuration that its machine needs.
struct MachineOptions {
  /// True if the store has an error handler of its own.
  ///
  /// Without a handler, an error that nothing recovers from is over at once.
  var mapsErrors = true
  /// The events that instruments want.
  var traced: EventKinds = []
  /// True if operations may be folded, because no instrument asks what encloses them.
  var foldsOperations = true
  /// The store that owns the machine.
  ///
  /// A lift into this store is interpreted in the lift's place.
  var store: ObjectIdentifier?

  var isTraced: Bool { !traced.isEmpty }
}
