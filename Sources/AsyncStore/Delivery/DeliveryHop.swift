/// The deliveries that have led to a value: their number, and those among them that a ``DeliveryCycleSearch`` watches.
///
/// One word, because every waiting value has one. The machine keeps only the bits.
struct DeliveryHop: BitwiseCopyable {
  /// The number of deliveries in the lowest 32 bits, then 20 bits of watches, then 11 bits for the number of their
  /// search.
  private(set) var bits: Int

  init(bits: Int) { self.bits = bits }

  init(count: Int, watches: UInt32 = 0, of search: UInt32 = 0) {
    bits = min(count, 0xFFFF_FFFF) | Int(watches & Self.allWatches) << 32 | Int(search & 0x7FF) << 52
  }

  /// The hop of a commit that follows from no delivery.
  static let none = DeliveryHop(bits: 0)
  /// The maximum number of watches.
  static let watchLimit = 20
  private static let allWatches: UInt32 = 1 << watchLimit - 1

  var count: Int { bits & 0xFFFF_FFFF }
  /// The watches, as bits.
  var watches: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) & Self.allWatches }
  /// The number of the search that the watches belong to.
  var search: UInt32 { UInt32(truncatingIfNeeded: bits >> 52) & 0x7FF }

  /// The hop for the consequences of this delivery.
  var next: DeliveryHop { count < 0xFFFF_FFFF ? DeliveryHop(bits: bits + 1) : self }
}
