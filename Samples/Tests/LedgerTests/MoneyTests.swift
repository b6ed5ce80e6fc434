import Testing

@testable import Ledger

@Suite("Money")
struct MoneyTests {
  @Test(
    "is read exactly, in the smallest unit of its currency",
    arguments: [
      ("12.50", "EUR", 1_250), ("12.5", "EUR", 1_250), ("12", "EUR", 1_200), ("-0.01", "EUR", -1), ("-0", "EUR", 0),
      ("0.1", "EUR", 10), ("500", "JPY", 500), ("1.234", "KWD", 1_234), ("1.2345", "CLF", 12_345),
      ("92233720368547758.07", "EUR", .max), ("-92233720368547758.08", "EUR", .min),
    ] as [(String, String, Int64)]
  )
  func read(text: String, code: String, units: Int64) throws {
    let amount = try Amount(text, Currency(code))
    #expect(amount.units == units)
    let words = amount.description.split(separator: " ").map(String.init)
    #expect(try Amount(words[0], Currency(words[1])) == amount)
  }

  @Test(
    "is refused where it could not be exact",
    arguments: [
      ("1.234", "EUR", .malformed), ("1.0", "JPY", .malformed), ("", "EUR", .malformed), ("-", "EUR", .malformed),
      ("1.", "EUR", .malformed), (".5", "EUR", .malformed), ("1.2.3", "EUR", .malformed), ("1,50", "EUR", .malformed),
      ("+1", "EUR", .malformed), ("--1", "EUR", .malformed), ("1e3", "EUR", .malformed), (" 1", "EUR", .malformed),
      ("\u{0663}", "EUR", .malformed), ("nan", "EUR", .malformed),
      ("92233720368547758.08", "EUR", .overflow), ("-92233720368547758.09", "EUR", .overflow),
      ("99999999999999999999", "JPY", .overflow),
    ] as [(String, String, LedgerError.Code)]
  )
  func refused(text: String, code: String, reason: LedgerError.Code) throws {
    let currency = try Currency(code)
    let error = #expect(throws: LedgerError.self) { try Amount(text, currency) }
    #expect(error?.code == reason)
    #expect(error?.reason.hasPrefix("\"\(text)\"") == true)
  }

  @Test("is of a currency that exists", arguments: ["", "eur", "EURO", "XXY", "€"])
  func unknownCurrency(code: String) {
    let error = #expect(throws: LedgerError.self) { try Currency(code) }
    #expect(error?.code == .unknownCurrency)
  }

  @Test("is written with all the decimals of its currency")
  func text() throws {
    let units: [Int128] = [0, 5, -5, 123, -12_345]
    #expect(try units.map(Currency("EUR").text) == ["0.00", "0.05", "-0.05", "1.23", "-123.45"])
    #expect(try units.map(Currency("JPY").text) == ["0", "5", "-5", "123", "-12345"])
    #expect(try units.map(Currency("BHD").text) == ["0.000", "0.005", "-0.005", "0.123", "-12.345"])
  }

  @Test("is summed without overflow, currency by currency")
  func balance() throws {
    let (euro, yen) = (try Currency("EUR"), try Currency("JPY"))
    let largest = Amount(units: .max, euro)
    var balance = Balance([largest, largest, largest, Amount(units: 7, yen)])
    #expect(balance.description == "276701161105643274.21 EUR and 7 JPY")
    for _ in 0..<3 { balance.add(Amount(units: -.max, euro)) }
    #expect(balance == Balance([Amount(units: 7, yen)]))
  }
}
