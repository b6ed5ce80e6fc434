import Testing

@testable import Ledger

@Suite("Money")
struct MoneyTests {
  @Test(
    "An amount is read exactly, in the smallest unit of its currency",
    arguments: [
      ("12.50", "EUR", 1_250), ("12.5", "EUR", 1_250), ("12", "EUR", 1_200), ("-0.01", "EUR", -1), ("-0", "EUR", 0),
      ("0.1", "EUR", 10), ("500", "JPY", 500), ("1.234", "KWD", 1_234), ("1.2345", "CLF", 12_345),
      ("1,234,567.5", "EUR", 123_456_750), ("-1,250.00", "EUR", -125_000), ("1,000,000", "JPY", 1_000_000),
      ("0.5", "AAPL", 50_000_000), ("3.5", "$", 350),
      ("92233720368547758.07", "EUR", .max), ("-92233720368547758.08", "EUR", .min),
    ] as [(String, String, Int64)]
  )
  func read(text: String, code: String, units: Int64) throws {
    let amount = try Amount(text, Commodity(code))
    #expect(amount.units == units)
    #expect(try Amount(amount.commodity.text(of: Int128(units)), amount.commodity) == amount)
    #expect(try Amount(amount.description) == amount)
  }

  @Test(
    "An amount is refused if it could not be exact",
    arguments: [
      ("1.234", "EUR", .malformed), ("1.0", "JPY", .malformed), ("", "EUR", .malformed), ("-", "EUR", .malformed),
      ("1.", "EUR", .malformed), (".5", "EUR", .malformed), ("1.2.3", "EUR", .malformed), ("1,50", "EUR", .malformed),
      ("1,000", "EUR", .malformed),
      ("1,00,000.00", "EUR", .malformed), ("1.000,00", "EUR", .malformed), (",100.00", "EUR", .malformed),
      ("+1", "EUR", .malformed), ("--1", "EUR", .malformed), ("1e3", "EUR", .malformed), (" 1", "EUR", .malformed),
      ("\u{0663}", "EUR", .malformed), ("nan", "EUR", .malformed),
      ("92233720368547758.08", "EUR", .overflow), ("-92233720368547758.09", "EUR", .overflow),
      ("99999999999999999999", "JPY", .overflow),
    ] as [(String, String, LedgerError.Code)]
  )
  func refused(text: String, code: String, reason: LedgerError.Code) throws {
    let commodity = try Commodity(code)
    let error = #expect(throws: LedgerError.self) { try Amount(text, commodity) }
    #expect(error?.code == reason)
    #expect(error?.reason.hasPrefix("\"\(text)\"") == true)
  }

  @Test(
    "An amount is read with its commodity on either side",
    arguments: [
      ("$3.50", "$3.50"), ("-$3.50", "$-3.50"), ("$-3.5", "$-3.50"), ("3.50$", "$3.50"), ("$ 1,250.00", "$1250.00"),
      ("EUR 12", "12.00 EUR"), ("12EUR", "12.00 EUR"), ("10 AAPL", "10 AAPL"), ("-0.125 BTC", "-0.125 BTC"),
      ("¥500", "¥500"), ("2 \"VIS 2026\"", "2 \"VIS 2026\""), ("\"VIS 2026\" 2", "2 \"VIS 2026\""), ("5 h", "5 h"),
      ("1 ₿", "1 ₿"), ("₿1", "1 ₿"), ("№2", "2 №"), ("1 \"1\"", "1 \"1\""), ("-2 \"-\"", "-2 \"-\""),
      ("1 \".\"", "1 \".\""), ("3 \" \"", "3 \" \""), ("1 \"1\u{301}\"", "1 \"1\u{301}\""),
    ])
  func commodity(text: String, written: String) throws {
    let amount = try Amount(text)
    #expect(amount.description == written)
    #expect(try Amount(written) == amount)
    #expect(try EntryDraft("Rent \(written)").amount == amount)
  }

  @Test(
    "An amount without its commodity is refused", arguments: ["3.50", "-3", "", "$", "--$3", "-$-3", "3 EUR 4", "1 2"])
  func bare(text: String) {
    #expect(throws: LedgerError.self) { try Amount(text) }
  }

  @Test(
    "A malformed commodity or a wrongly written currency is refused",
    arguments: ["", "eur", "Usd", "\"EUR\"", "\"$\"", "A1", "a b", "\u{1B}"])
  func wrongCommodity(symbol: String) {
    let error = #expect(throws: LedgerError.self) { try Commodity(symbol) }
    #expect(error?.code == .unknownCommodity)
  }

  @Test("An amount is written with all the decimals of its currency")
  func text() throws {
    let units: [Int128] = [0, 5, -5, 123, -12_345]
    #expect(try units.map(Commodity("AAPL").text) == ["0", "0.00000005", "-0.00000005", "0.00000123", "-0.00012345"])
    #expect(try units.map(Commodity("EUR").text) == ["0.00", "0.05", "-0.05", "1.23", "-123.45"])
    #expect(try units.map(Commodity("JPY").text) == ["0", "5", "-5", "123", "-12345"])
    #expect(try units.map(Commodity("BHD").text) == ["0.000", "0.005", "-0.005", "0.123", "-12.345"])
  }

  @Test("Amounts are summed without overflow, commodity by commodity")
  func balance() throws {
    let (euro, yen) = (try Commodity("EUR"), try Commodity("JPY"))
    let largest = Amount(units: .max, euro)
    var balance = Balance([largest, largest, largest, Amount(units: 7, yen)])
    #expect(balance.description == "276701161105643274.21 EUR and 7 JPY")
    for _ in 0..<3 { balance.add(Amount(units: -.max, euro)) }
    #expect(balance == Balance([Amount(units: 7, yen)]))
  }
}
