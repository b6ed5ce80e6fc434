/// The unit of an amount: a currency, or anything else with a symbol, such as a share.
struct Commodity: Hashable, Sendable {
  /// The symbol as a key: two spellings of a symbol make two commodities.
  private let spelling: Spelling
  /// The code of a currency of ISO 4217, a sign as `$`, or another name as `AAPL`.
  var symbol: String { spelling.text }
  /// The number of decimals of its smallest unit.
  let decimals: Int

  /// Creates the commodity of a symbol, which may be in quotes.
  init(_ symbol: String) throws(LedgerError) {
    if let decimals = Self.currencies[symbol] ?? Self.signs[symbol] {
      spelling = Spelling(symbol)
      self.decimals = decimals
      return
    }
    let scalars = symbol.unicodeScalars
    let isQuoted = scalars.count > 2 && scalars.first == "\"" && scalars.last == "\""
    let name = isQuoted ? String(scalars.dropFirst().dropLast()) : symbol
    let hasOddSpace = name.unicodeScalars.contains { $0.properties.isWhitespace && !$0.isASCII }
    guard !name.isEmpty, !name.unicodeScalars.contains("\""), !hasOddSpace, !name.hasUnprintable,
      isQuoted || !Self.needsQuotes(name)
    else {
      throw LedgerError(
        .unknownCommodity, "\"\(symbol)\" is not a commodity, as EUR, $ or AAPL is: put any other name in quotes.")
    }
    if let decimals = Self.currencies[name.uppercased()], name != name.uppercased() || isQuoted {
      throw LedgerError(
        .unknownCommodity,
        "\"\(symbol)\" is not a currency: write \(name.uppercased()), which has \(decimals) decimals.")
    }
    if let decimals = Self.signs[name] {
      throw LedgerError(
        .unknownCommodity, "\(symbol) is a sign in quotes: write \(name), which has \(decimals) decimals.")
    }
    spelling = Spelling(name)
    decimals = Self.mostDecimals
  }

  /// True if its symbol is one of the signs that are written before the number: `$`.
  ///
  /// Any other symbol there would be taken for the end of the account's name.
  var isSign: Bool { Self.signs[symbol] != nil }

  /// The symbol as it stands beside a number.
  var text: String { Self.needsQuotes(symbol) ? "\"\(symbol)\"" : symbol }

  /// Returns a number of the commodity's smallest unit as a decimal fraction.
  ///
  /// Amounts of currencies have all their decimals, other amounts as few as they need.
  func text(of units: Int128) -> String {
    var text = units.magnitude <= UInt64.max ? String(UInt64(units.magnitude)) : String(units.magnitude)
    if decimals > 0 {
      let missing = decimals + 1 - text.utf8.count
      if missing > 0 { text = String(repeating: "0", count: missing) + text }
      text.insert(".", at: text.utf8.index(text.endIndex, offsetBy: -decimals))
      if decimals == Self.mostDecimals {
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        if text.utf8.last == UInt8(ascii: ".") { text.removeLast() }
      }
    }
    return units < 0 ? "-" + text : text
  }

  /// The number of decimals of everything but currencies, which leaves room for 92 billion.
  private static let mostDecimals = 8

  private static func needsQuotes(_ symbol: String) -> Bool {
    symbol.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || delimiters.contains($0) }
  }

  private static let delimiters = Set(" \t-+.,;:@=*()[]{}<>&|!?/\\^'\"#".utf8)
}

extension Commodity: Comparable {
  static func < (left: Commodity, right: Commodity) -> Bool { left.spelling < right.spelling }
}

extension Commodity {
  private static let signs = ["$": 2, "€": 2, "£": 2, "¥": 0]

  /// Returns whether a text is the code of an ISO 4217 currency, or the sign of one.
  static func isCurrency(_ text: some StringProtocol) -> Bool {
    currencies[String(text)] != nil || signs[String(text)] != nil
  }

  private static let currencies: [String: Int] = [
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC \
    CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD \
    KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO \
    NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL \
    THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD YER ZAR ZMW ZWG
    """,
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
  ].reduce(into: [:]) { table, row in
    for code in row.value.split(separator: " ") { table[String(code)] = row.key }
  }
}
