/// A two-word summary of the deliveries that led to some work, small enough for the machine to keep.
///
/// The machine keeps the lineage of an effect that waits for others, so that a cycle of bindings is also found if its
/// effects wait for each other.
struct DeliveryLineage: Equatable, BitwiseCopyable {
  /// The bits of a delivery's hop.
  var hop: Int
  /// The observer that was last notified, if the deliveries are examined closely.
  var lastNotified: ObjectIdentifier?
}
