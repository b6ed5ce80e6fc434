/// The places of the number and the commodity in an amount's text.
enum AmountText {
  private static let (minus, space, quote) = (UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\""))

  static func parts(of text: ArraySlice<UInt8>) -> (number: ArraySlice<UInt8>, symbol: ArraySlice<UInt8>) {
    let unsigned = text.first == minus ? text.dropFirst() : text
    if let first = unsigned.first, isNumber(first) {
      let end = unsigned.firstIndex { !isNumber($0) } ?? text.endIndex
      return (text[..<end], text[end...].drop { $0 == space })
    }
    let end =
      unsigned.first == quote
      ? unsigned.dropFirst().firstIndex(of: quote).map { $0 + 1 }
      : unsigned.firstIndex { isNumber($0) || $0 == minus || $0 == space }
    let symbol = unsigned[..<(end ?? text.endIndex)]
    let number = text[symbol.endIndex...].drop { $0 == space }
    return (text.first == minus ? [minus] + number : number, symbol)
  }

  private static func isNumber(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
  }
}
