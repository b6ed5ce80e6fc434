/// A two-word summary of the deliveries that led to some work, small enough for the machine to keep.
///
/// The machine keeps the lineage of an effect that waits for others, so that a cycle of bindings is also found if its
/// effects wait for each other.
struct DeliveryLineage: Equatable, BitwiseCopyable {
  /// The bits of a delivery's hop, which are not negative.
  var hop: Int
  /// The observer that was last notified, if the deliveries are examined closely.
  var told: ObjectIdentifier?

  /// The lineage of work that follows from no delivery.
  ///
  /// Not named `none`, which could be mistaken for an optional's.
  static var nothing: DeliveryLineage { DeliveryLineage(hop: -1) }
}
