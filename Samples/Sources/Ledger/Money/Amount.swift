/// An exact amount: a whole number of its commodity's smallest unit.
struct Amount: Hashable, Sendable {
  let units: Int64
  let commodity: Commodity

  init(units: Int64, _ commodity: Commodity) {
    self.units = units
    self.commodity = commodity
  }

  /// Reads a decimal fraction: `12.5`, `-3`.
  init(_ number: String, _ commodity: Commodity) throws(LedgerError) {
    try self.init(Array(number.utf8)[...], commodity)
  }

  private init(_ text: ArraySlice<UInt8>, _ commodity: Commodity) throws(LedgerError) {
    let number = try DecimalNumber(text, of: commodity)
    guard number.decimals <= commodity.decimals else {
      throw LedgerError(
        .malformed,
        "\"\(String(decoding: text, as: UTF8.self))\" has \(number.decimals) decimals; amounts of \(commodity.symbol) have \(commodity.decimals)."
      )
    }
    guard let units = number.digits(withDecimals: commodity.decimals) else {
      throw DecimalNumber.tooLarge(text, commodity)
    }
    self.init(units: units, commodity)
  }

  /// Reads a number with its commodity, which may stand on either side: `12.50 EUR`, `$-3`, `-$3`, `10 AAPL`.
  init(_ text: String) throws(LedgerError) { try self.init(Array(text.utf8)[...]) }

  /// Reads a number with its commodity.
  init(_ text: ArraySlice<UInt8>) throws(LedgerError) {
    let (number, symbol) = AmountText.parts(of: text)
    guard !symbol.isEmpty else {
      throw LedgerError(
        .malformed,
        "\"\(String(decoding: text, as: UTF8.self))\" is not an amount with its commodity: write it as 3.50 EUR, $3.50 or 10 AAPL."
      )
    }
    try self.init(number, Commodity(String(decoding: symbol, as: UTF8.self)))
  }
}

extension Amount: CustomStringConvertible {
  /// The amount with its commodity: `-12.50 EUR`, `$-3.50`.
  var description: String { commodity.amount(of: Int128(units)) }
}

extension Commodity {
  /// Returns a number of the commodity's smallest unit, with its symbol.
  func amount(of units: Int128) -> String { isSign ? symbol + text(of: units) : "\(text(of: units)) \(text)" }
}
