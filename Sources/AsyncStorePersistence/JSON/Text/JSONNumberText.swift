/// The parts of a number: `digits` times ten to the power of `exponent`.
///
/// The parts are normalized, so that equal numbers have equal parts: the digits have no zeros at either end; zero has
/// no digits, no sign and no exponent.
struct JSONNumberText: Hashable {
  private(set) var isNegative: Bool
  private(set) var digits: String
  private(set) var exponent: JSONExponent

  /// - Returns: the parts, or `nil` if the text is not a JSON number.
  init?(_ text: String) {
    var rest = text.utf8[...]
    isNegative = rest.popFirst("-")
    let whole = rest.popDigits()
    guard !whole.isEmpty, whole.count == 1 || whole.first != 0x30 else { return nil }
    var fraction = rest.prefix(0)
    if rest.popFirst(".") {
      fraction = rest.popDigits()
      guard !fraction.isEmpty else { return nil }
    }
    exponent = JSONExponent()
    if rest.popFirst("e") || rest.popFirst("E") {
      let isSmall = rest.popFirst("-")
      if !isSmall { _ = rest.popFirst("+") }
      let digits = rest.popDigits()
      guard !digits.isEmpty else { return nil }
      exponent = JSONExponent(digits, isNegative: isSmall)
    }
    guard rest.isEmpty else { return nil }
    var significant = (Array(whole) + Array(fraction)).drop { $0 == 0x30 }
    let length = significant.count
    while significant.last == 0x30 { significant.removeLast() }
    digits = String(decoding: significant, as: UTF8.self)
    if significant.isEmpty {
      (isNegative, exponent) = (false, JSONExponent())
    } else {
      exponent.add(length - significant.count - fraction.count)
    }
  }
}

extension JSONNumberText: Comparable {
  static func < (left: JSONNumberText, right: JSONNumberText) -> Bool {
    if left.sign != right.sign { return left.sign < right.sign }
    let (small, large) = left.isNegative ? (right, left) : (left, right)
    var (power, other) = (small.exponent, large.exponent)
    power.add(small.digits.utf8.count)
    other.add(large.digits.utf8.count)
    // Read as fractions, the digits have the same order as their texts.
    return power == other ? small.digits < large.digits : power < other
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }
}

extension Substring.UTF8View {
  fileprivate mutating func popFirst(_ character: Unicode.Scalar) -> Bool {
    guard first == UInt8(ascii: character) else { return false }
    removeFirst()
    return true
  }

  fileprivate mutating func popDigits() -> Substring.UTF8View {
    let digits = prefix { 0x30...0x39 ~= $0 }
    self = self[digits.endIndex...]
    return digits
  }
}
