/// An exact amount of money: a whole number of its currency's smallest unit.
struct Amount: Hashable, Sendable {
  let units: Int64
  let currency: Currency

  init(units: Int64, _ currency: Currency) {
    self.units = units
    self.currency = currency
  }

  /// Reads a decimal fraction: `12.5`, `-3`.
  ///
  /// Nothing is rounded: it may have fewer decimals than the currency has, but not more.
  init(_ text: String, _ currency: Currency) throws(LedgerError) {
    let parts = text.drop(while: { $0 == "-" }).split(separator: ".", omittingEmptySubsequences: false)
    guard !text.hasPrefix("--"), (1...2).contains(parts.count), parts.allSatisfy(Self.isNumber) else {
      throw LedgerError(.malformed, "\"\(text)\" is not an amount: write it as 12.50 or -12.50.")
    }
    let fraction = parts.count == 2 ? parts[1] : ""
    guard fraction.count <= currency.decimals else {
      throw LedgerError(
        .malformed, "\"\(text)\" has \(fraction.count) decimals; amounts of \(currency.code) have \(currency.decimals)."
      )
    }
    let digits = parts[0] + fraction + Substring(repeating: "0", count: currency.decimals - fraction.count)
    guard let units = Int64((text.hasPrefix("-") ? "-" : "") + digits) else {
      throw LedgerError(.overflow, "\"\(text)\" is too large: no amount is above \(Amount(units: .max, currency)).")
    }
    self.init(units: units, currency)
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
  }
}

extension Amount: CustomStringConvertible {
  /// The amount as it is written on the command line: `-12.50 EUR`.
  var description: String { "\(currency.text(of: Int128(units))) \(currency.code)" }
}
