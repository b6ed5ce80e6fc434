/// A currency of ISO 4217.
struct Currency: Hashable, Sendable {
  /// Its three letters.
  let code: String
  /// How many decimals its amounts have: its smallest unit is a tenth to that power.
  let decimals: Int

  /// The currency of that code.
  init(_ code: String) throws(LedgerError) {
    guard let decimals = Self.decimals[code] else {
      throw LedgerError(.unknownCurrency, "\"\(code)\" is not the code of a currency, as EUR or JPY is.")
    }
    self.code = code
    self.decimals = decimals
  }

  /// The number of a currency's smallest unit as a decimal fraction.
  func text(of units: Int128) -> String {
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = units < 0 ? "-" : ""
    return decimals == 0 ? sign + padded : "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }
}

extension Currency: Comparable {
  static func < (left: Currency, right: Currency) -> Bool { left.code < right.code }
}

extension Currency {
  private static let decimals: [String: Int] = [
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
