/// The identity of a fiber: a slot in the machine's table, and the low bits of the number of the slot's tenant.
///
/// An event for a fiber that no longer exists belongs to a former tenant and is ignored.
struct FiberID: Hashable, Sendable {
  var slot: FiberSlot
  var generation: UInt32
}

extension FiberID {
  /// The identity as one number.
  @inline(__always)
  var bits: UInt64 { UInt64(slot.number) << 32 | UInt64(generation) }

  @inline(__always)
  init(bits: UInt64) {
    self.init(slot: FiberSlot(number: UInt32(bits >> 32)), generation: UInt32(truncatingIfNeeded: bits))
  }
}
