/// The deliveries that have led to what a thread does, as the shell notes them.
///
/// The machine keeps it for an effect that waits for others, so that a cycle of bindings is also found if its effects
/// wait for each other.
struct DeliveryLineage: Equatable, BitwiseCopyable {
  /// The bits of a delivery's hop, which are not negative.
  var hop: Int
  /// The observer that was told last, if the deliveries are looked at closely.
  var told: ObjectIdentifier?

  /// The lineage of what follows from no delivery.
  ///
  /// Not `none`, which could be taken for that of an optional.
  static var nothing: DeliveryLineage { DeliveryLineage(hop: -1) }
}
