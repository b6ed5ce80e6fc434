import Foundation

extension JSONValue {
  /// Reads a document, to the last digit.
  ///
  /// - Parameter data: JSON as defined in RFC 8259, in UTF-8.
  /// - Throws: `DecodingError` if the data is not JSON, has a key twice in one object, or is nested deeper than
  ///   ``maximumDepth``.
  /// - Complexity: linear in the document.
  public init(data: Data) throws {
    self = try Array(data).withUnsafeBufferPointer { bytes in
      var parser = JSONParser(bytes: bytes)
      return try parser.document()
    }
  }
}

/// A reader of JSON.
///
/// The bytes passed to it must outlive it.
private struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var depth = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func document() throws -> JSONValue {
    let value = try value()
    skipSpace()
    guard index == bytes.count else { throw fault("something follows the document") }
    return value
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func value() throws -> JSONValue {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(JSONString(try string()))
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object() throws -> [JSONString: JSONValue] {
    var members: [JSONString: JSONValue] = [:]
    try list(until: UInt8(ascii: "}")) { parser in
      parser.skipSpace()
      guard parser.next == UInt8(ascii: "\"") else { throw parser.fault("a key is missing") }
      let key = JSONString(try parser.string())
      parser.skipSpace()
      guard parser.take(UInt8(ascii: ":")) else { throw parser.fault("a colon is missing") }
      guard members.updateValue(try parser.value(), forKey: key) == nil else {
        throw parser.fault("the key \(key) is there twice")
      }
    }
    return members
  }

  private mutating func array() throws -> [JSONValue] {
    var elements: [JSONValue] = []
    try list(until: UInt8(ascii: "]")) { elements.append(try $0.value()) }
    return elements
  }

  private mutating func list(until end: UInt8, _ element: (inout JSONParser) throws -> Void) throws {
    depth += 1
    guard depth <= JSONValue.maximumDepth, Stack.hasRoom else { throw fault(JSONValue.tooDeep) }
    index += 1
    skipSpace()
    if !take(end) {
      repeat {
        try element(&self)
        skipSpace()
      } while take(UInt8(ascii: ","))
      guard take(end) else { throw fault("a comma or an end is missing") }
    }
    depth -= 1
  }

  private mutating func number() throws -> JSONNumber {
    let start = index
    while let byte = next, 0x30...0x39 ~= byte || "+-.eE".utf8.contains(byte) { index += 1 }
    guard let number = JSONNumber(String(decoding: bytes[start..<index], as: UTF8.self)) else {
      index = start
      throw fault("there is no value")
    }
    return number
  }

  private mutating func string() throws -> String {
    index += 1
    // Bytes, and a string only at the end, because a string that grows by its scalars is copied at each escape.
    var text: [UInt8] = []
    while true {
      let start = index
      while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
      text += bytes[start..<index]
      guard take(UInt8(ascii: "\\")) else { break }
      text += try escape().utf8
    }
    guard let string = String(validating: text, as: UTF8.self) else { throw fault("it is not UTF-8") }
    guard take(UInt8(ascii: "\"")) else { throw fault("a string has no end, or a control character in it") }
    return string
  }

  private mutating func escape() throws -> Unicode.Scalar {
    guard let byte = next else { throw fault("a string has no end") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      var unit = try codeUnit()
      if 0xD800..<0xDC00 ~= unit, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let low = try codeUnit()
        guard 0xDC00..<0xE000 ~= low else { throw fault("half of a surrogate pair is missing") }
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(unit) else { throw fault("half of a surrogate pair is missing") }
      return scalar
    default: throw fault("there is no such escape")
    }
  }

  private mutating func codeUnit() throws -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("an escape has four digits")
      }
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return unit
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws -> JSONValue {
    for expected in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) {
      guard take(expected) else { throw fault("there is no value") }
    }
    return value
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private func fault(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "This is no JSON document: at byte \(index) \(reason)."))
  }
}
