import AsyncStorePersistence
import Foundation
import Testing

@Suite("A JSON number")
struct JSONNumberTests {
  private func number(_ text: String) throws -> JSONNumber { try #require(JSONNumber(text), "\(text)") }

  @Test(
    "JSON numbers of the same value are equal, however they are written",
    arguments: [
      ("1", "1.0"), ("1", "10e-1"), ("1", "0.1E+1"), ("0", "-0"), ("0", "0e5"), ("-0.0", "0.000e-9"),
      ("100", "1e2"), ("18446744073709551616", "1.8446744073709551616e19"), ("1e400", "10E399"), ("0.10", "0.1"),
      ("1e999999999999999999999", "10e999999999999999999998"), ("0e999999999999999999999", "0"),
      ("0.1e1000000000000000000000", "1e+000999999999999999999999"), ("-0.0E-999999999999999999999", "0"),
      ("10e-1000000000000000000000", "1e-999999999999999999999"), ("1e-1000000000000000", "0.1e-999999999999999"),
      ("1e1000000000000000", "10e999999999999999"), ("1e000000000000000000000000000002", "100"),
    ])
  func equal(_ one: String, _ other: String) throws {
    #expect(try number(one) == number(other))
    #expect(try number(one).hashValue == number(other).hashValue)
    #expect(try !(number(one) < number(other)) && !(number(other) < number(one)))
    #expect(try number(one).description == one)
  }

  @Test("JSON numbers are ordered by value, to the last digit")
  func order() throws {
    let texts = [
      "-1e1000000000000000000000", "-1e999999999999999999999",
      "-1e400", "-18446744073709551616", "-10", "-9.99", "-1.5", "-1", "-1e-400", "-1e-999999999999999999999", "0",
      "1e-1000000000000000000000", "1e-999999999999999999999", "2e-999999999999999999999", "1e-1000000000000000",
      "1e-999999999999999", "1e-400",
      "0.1", "0.10000000000000000000000000000000000000000000000001", "1", "1.5", "9.99", "10",
      "18446744073709551614", "18446744073709551615", "18446744073709551616", "1e308", "1e309", "1e999999999999999",
      "1e1000000000000000", "1e999999999999999999999", "1.5e999999999999999999999", "1e1000000000000000000000",
    ]
    let numbers = try texts.map(number)
    for (index, one) in numbers.enumerated() {
      for (other, two) in numbers.enumerated() {
        #expect((one < two) == (index < other), "\(one) < \(two)")
        #expect((one == two) == (index == other), "\(one) == \(two)")
      }
    }
  }

  @Test(
    "Text that is not a JSON number creates none",
    arguments: [
      "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 ", "NaN", "Infinity", "1,5", "--1",
      "1e5.0", "1e--9", "1e999999999999999999999x", "١",
    ])
  func none(_ text: String) { #expect(JSONNumber(text) == nil) }

  @Test("A JSON number converts to an integer, a Double or a Decimal without loss, if it can")
  func conversions() throws {
    #expect(try number("18446744073709551615").integer(as: UInt64.self) == .max)
    #expect(try number("1.8446744073709551615e19").integer(as: UInt64.self) == .max)
    #expect(try number("18446744073709551616").integer(as: UInt64.self) == nil)
    #expect(try number("1e2").integer() == 100)
    #expect(try number("1.50e1").integer() == 15)
    #expect(try number("1.5").integer(as: Int.self) == nil)
    #expect(try number("1e99").integer(as: Int.self) == nil)
    #expect(try number("-0").double.sign == .minus)
    #expect(try number("12345678901234567890.123456789").decimal == Decimal(string: "12345678901234567890.123456789"))
    #expect(try number("0.123456789012345678901234567890123456789012345").decimal == nil)
    #expect(JSONNumber(Double.infinity) == nil)
    #expect(JSONNumber(Decimal.nan) == nil)
    for double in [0.1, -0.0, .leastNonzeroMagnitude, 1e300, 1.7976931348623157e308, 100, 1.0 / 3] {
      #expect(JSONNumber(double)?.double.bitPattern == double.bitPattern)
    }
  }

  @Test("A JSON number converts to any Decimal that has its value, however it is written")
  func decimals() throws {
    let zeros = String(repeating: "0", count: 200)
    for (text, digits, exponent) in [
      ("1e128", "10", 127), ("-1e128", "-10", 127), ("1e165", "1" + zeros.prefix(38), 127),
      ("0.\(zeros)1e201", "1", 0), ("1\(zeros)e-200", "1", 0), ("1e-128", "1", -128), ("-12.5e-127", "-125", -128),
      ("340282366920938463463374607431768211455e127", "340282366920938463463374607431768211455", 127),
    ] {
      let expected = try #require(Decimal(string: "\(digits)e\(exponent)"))
      #expect(try number(text).decimal == expected, "\(text)")
      #expect(try JSONValue(data: Data("[\(text)]".utf8)).decoded(as: [Decimal].self) == [expected], "\(text)")
    }
    for text in [
      "1e166", "1e-129", "12e165", "1.5e-128", "340282366920938463463374607431768211456", "1e-999999999999999999999",
    ] { #expect(try number(text).decimal == nil, "\(text)") }
  }

  @Test(
    "A JSON number that is zero converts to every type of number, however it is written",
    arguments: ["0", "0.0", "0e0", "-0.0", "0.00E-7", "-0", "0e999999999999999999999"])
  func zero(text: String) throws {
    let number = try #require(JSONNumber(text))
    #expect(number.integer(as: Int.self) == 0)
    #expect(number.integer(as: UInt8.self) == 0)
    #expect(number.decimal == 0)
    #expect(number.double == 0)
    let list = try JSONValue(data: Data("[\(text)]".utf8))
    #expect(try list.decoded() == [0])
    #expect(try list.decoded() == [0.0])
    #expect(try list.decoded() == [Decimal(0)])
  }

  @Test(
    "A JSON number with a huge exponent is kept as written, and refused for other types",
    arguments: ["1e999999999999999999999", "-1.50E-999999999999999999999", "1e1000000000000000"])
  func hugeExponent(text: String) throws {
    let list = try JSONValue(data: Data("[\(text)]".utf8))
    #expect(list.description == "[\(text)]")
    #expect(try list.decoded(as: [JSONNumber].self).map(\.description) == [text])
    #expect(try number(text).integer(as: Int.self) == nil)
    #expect(try number(text).decimal == nil)
    #expect(try number(text).double.magnitude == (text.contains("-") ? 0 : .infinity))
    for decode in [
      { _ = try list.decoded(as: [Int].self) }, { _ = try list.decoded(as: [Double].self) },
      { _ = try list.decoded(as: [Float].self) }, { _ = try list.decoded(as: [Decimal].self) },
    ] as [() throws -> Void] {
      let error = #expect(throws: DecodingError.self) { try decode() }
      #expect(error.map { "\($0)".contains(text) } == true)
    }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(number(text)) }
  }
}
