/// A slot in one of the machine's tables, or none.
///
/// Each table has a slot type of its own, so that a slot of one can't be mistaken for a slot of the other. The absent
/// slot is a number too, because an optional would take twice the space in every fiber.
protocol Slot: Hashable, Comparable, Sendable {
  var number: UInt32 { get }
  init(number: UInt32)
}

/// A slot in the table of fibers.
struct FiberSlot: Slot {
  let number: UInt32
}

/// A slot in the table of registrations.
struct RegistrationSlot: Slot {
  let number: UInt32
}

extension Slot {
  @inline(__always)
  init(index: Int) { self.init(number: UInt32(index)) }

  @inline(__always)
  static var none: Self { Self(number: .max) }

  @inline(__always)
  var exists: Bool { number != .max }

  /// The index in the table; valid only for a slot that exists.
  @inline(__always)
  var index: Int { Int(number) }

  static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
