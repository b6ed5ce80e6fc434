import Foundation

/// A JSON number, kept as it was written and compared by its value.
///
/// ```swift
/// let hash = JSONNumber(UInt64.max)
/// let (one, uno) = (JSONNumber("1.0"), JSONNumber("10e-1"))
/// // hash.description == "18446744073709551615"
/// // one == uno
/// ```
public struct JSONNumber: Hashable, Sendable {
  private let text: String

  /// Reads a number, or returns `nil` if the text is not a JSON number.
  ///
  /// The exponent has no limit.
  public init?(_ text: String) {
    guard JSONNumberText(text) != nil else { return nil }
    self.text = text
  }

  /// Creates a number from a text that has already been checked.
  init(checked text: String) { self.text = text }

  /// Creates a number from an integer.
  public init(_ integer: some BinaryInteger) { text = String(integer) }

  /// Creates a number with the fewest digits that identify a `Double`; `nil` if the `Double` is not finite.
  public init?(_ double: Double) {
    guard double.isFinite else { return nil }
    text = Self.withoutFraction("\(double)")
  }

  /// Creates a number with the fewest digits that identify a `Float`; `nil` if the `Float` is not finite.
  public init?(_ float: Float) {
    guard float.isFinite else { return nil }
    text = Self.withoutFraction("\(float)")
  }

  /// Creates a number with all digits of a `Decimal`; `nil` if the `Decimal` is not a number.
  public init?(_ decimal: Decimal) { self.init("\(decimal)") }

  /// Returns the number as an integer, or `nil` if it is not an integer or is out of the type's range.
  public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
    if let integer = Integer(text) { return integer }
    let number = parts
    guard let zeros = number.exponent.small(in: 0...40) else { return nil }
    // Zero has no digits.
    if number.digits.isEmpty { return 0 }
    return Integer((number.isNegative ? "-" : "") + number.digits + String(repeating: "0", count: zeros))
  }

  /// The nearest `Double`; infinite for a number that is too large, and zero for a number that is too small.
  ///
  /// Decoding a `Double` throws for both.
  public var double: Double { Double(text) ?? .nan }

  /// The number as a `Decimal`, or `nil` if a `Decimal` can't hold all of its digits.
  public var decimal: Decimal? {
    let number = parts
    if number.digits.isEmpty { return 0 }
    // `Decimal` reads `10e127` but not `1e128`, and no text with more zeros than it has digits.
    guard let exponent = number.exponent.small(in: -128...165) else { return nil }
    let zeros = max(0, exponent - 127)
    let text = "\(number.digits)\(String(repeating: "0", count: zeros))e\(exponent - zeros)"
    guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else { return nil }
    let signed = number.isNegative ? -decimal : decimal
    return JSONNumber(signed) == self ? signed : nil
  }

  /// Returns whether two numbers have the same value: `1`, `1.0` and `10e-1` are equal, and so are `0` and `-0`.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.text == right.text || left.parts == right.parts
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

  var parts: JSONNumberText {
    guard let parts = JSONNumberText(text) else { preconditionFailure("\(text) has been checked to be a number") }
    return parts
  }

  private static func withoutFraction(_ text: String) -> String {
    text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension JSONNumber: Comparable {
  /// Returns whether the left number's value is smaller.
  public static func < (left: JSONNumber, right: JSONNumber) -> Bool { left.parts < right.parts }
}

extension JSONNumber: CustomStringConvertible {
  /// The number as it was written.
  public var description: String { text }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a number.
  public init(integerLiteral value: Int) { self.init(value) }
  /// Creates a number; a literal that is not finite is 0.
  public init(floatLiteral value: Double) { self = JSONNumber(value) ?? 0 }
}
