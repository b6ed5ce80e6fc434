/// An integer of any size: the exponent of a JSON number, which has no limit.
///
/// As in a complement representation, all limbs except the sign are positive, and a leading limb that the sign implies
/// is omitted, so that equal numbers have equal limbs.
struct JSONExponent: Hashable {
  /// The number of digits in a limb.
  ///
  /// The sum of two limbs and of any count of bytes in memory fits in an `Int`.
  private static let width = 15
  private static let base = 1_000_000_000_000_000

  /// -1 for a negative number, otherwise 0; it implies all limbs beyond the last one.
  private var sign = 0
  /// The limbs, least significant first, each below the base.
  private var limbs: [Int] = []

  /// Creates the number zero.
  init() {}

  /// Creates a number from its digits in ASCII.
  ///
  /// - Complexity: linear in the number of digits.
  init(_ digits: Substring.UTF8View, isNegative: Bool) {
    var rest = digits.drop { $0 == 0x30 }
    while !rest.isEmpty {
      let limb = rest.suffix(Self.width).reduce(0) { $0 * 10 + Int($1 - 0x30) }
      limbs.append(isNegative ? -limb : limb)
      rest = rest.dropLast(Self.width)
    }
    add(0)
  }

  /// Adds a number of at most 18 digits.
  mutating func add(_ number: Int) {
    var carry = number
    for index in limbs.indices { carry = Self.carry(&limbs[index], carry) }
    carry += sign
    while carry != 0, carry != -1 {
      var limb = 0
      carry = Self.carry(&limb, carry)
      limbs.append(limb)
    }
    sign = carry
    while let limb = limbs.last, limb == (sign < 0 ? Self.base - 1 : 0) { limbs.removeLast() }
  }

  /// Adds to a limb.
  ///
  /// - Returns: the carry for the next limb.
  private static func carry(_ limb: inout Int, _ number: Int) -> Int {
    let sum = limb + number
    let rest = sum % base
    limb = rest < 0 ? rest + base : rest
    return (sum - limb) / base
  }

  /// Returns the number if it is in a range between the negative base and the base, otherwise `nil`.
  func small(in range: ClosedRange<Int>) -> Int? {
    guard limbs.count <= 1 else { return nil }
    let number = sign < 0 ? (limbs.first ?? Self.base - 1) - Self.base : limbs.first ?? 0
    return range.contains(number) ? number : nil
  }
}

extension JSONExponent: Comparable {
  static func < (left: JSONExponent, right: JSONExponent) -> Bool {
    if left.sign != right.sign { return left.sign < right.sign }
    guard left.limbs.count == right.limbs.count else {
      return (left.limbs.count < right.limbs.count) == (left.sign == 0)
    }
    return left.limbs.reversed().lexicographicallyPrecedes(right.limbs.reversed())
  }
}
