/// A decimal fraction, exactly as it is written: `12.5`, `-3`, `1,250.00`.
struct DecimalNumber: Equatable {
  /// All its digits, without the point.
  let digits: Int64
  /// The number of digits after the point.
  let decimals: Int

  private static let (minus, point, comma) = (UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ","))
  private static let figures = UInt8(ascii: "0")...UInt8(ascii: "9")

  /// Reads a number.
  ///
  /// Thousands may be separated by commas, if these can't be taken for a decimal comma: `1,250.00`, but not `1,250`.
  ///
  /// - Parameter commodity: the commodity of the number, for errors.
  init(_ text: ArraySlice<UInt8>, of commodity: Commodity) throws(LedgerError) {
    let isNegative = text.first == Self.minus
    var rest = isNegative ? text.dropFirst() : text
    if rest.contains(Self.comma), Self.hasThousands(rest) { rest = rest.filter { $0 != Self.comma }[...] }
    guard let first = rest.first, let last = rest.last, Self.figures ~= first, Self.figures ~= last else {
      throw Self.malformed(text)
    }
    // Computed below zero, where there is room for one more.
    var (digits, decimals) = (Int64(0), Int?.none)
    for byte in rest {
      if byte == Self.point, decimals == nil {
        decimals = 0
        continue
      }
      guard Self.figures ~= byte else { throw Self.malformed(text) }
      let (tenfold, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
      let (sum, isStillTooLarge) = tenfold.subtractingReportingOverflow(Int64(byte - Self.figures.lowerBound))
      guard !isTooLarge, !isStillTooLarge else { throw Self.tooLarge(text, commodity) }
      digits = sum
      decimals? += 1
    }
    guard isNegative || digits != .min else { throw Self.tooLarge(text, commodity) }
    self.digits = isNegative ? digits : -digits
    self.decimals = decimals ?? 0
  }

  /// Returns the number with `count` decimals and without the point, or `nil` if it has more decimals, or the result is
  /// too large.
  ///
  /// Nothing is rounded.
  func digits(withDecimals count: Int) -> Int64? {
    guard decimals <= count else { return nil }
    var digits = digits
    for _ in decimals..<count {
      let (tenfold, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
      if isTooLarge { return nil }
      digits = tenfold
    }
    return digits
  }

  /// Returns whether commas group the digits by three, and can't be decimal points.
  private static func hasThousands(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: point, omittingEmptySubsequences: false)
    let groups = parts[0].split(separator: comma, omittingEmptySubsequences: false)
    return 1...3 ~= groups[0].count && groups.dropFirst().allSatisfy { $0.count == 3 }
      && (parts.count == 2 && !parts[1].contains(comma) || parts.count == 1 && groups.count > 2)
  }

  private static func malformed(_ text: ArraySlice<UInt8>) -> LedgerError {
    LedgerError(
      .malformed, "\"\(String(decoding: text, as: UTF8.self))\" is not an amount: write it as 12.50 or -12.50.")
  }

  static func tooLarge(_ text: ArraySlice<UInt8>, _ commodity: Commodity) -> LedgerError {
    LedgerError(
      .overflow,
      "\"\(String(decoding: text, as: UTF8.self))\" is too large: no amount is above \(Amount(units: .max, commodity))."
    )
  }
}
