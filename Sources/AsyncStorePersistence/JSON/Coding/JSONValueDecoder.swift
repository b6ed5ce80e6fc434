import Foundation

extension JSONValue {
  /// Decodes a value, to the last digit.
  ///
  /// It is what `JSONDecoder` makes of it if nothing about that is set, save that a `Decimal` that can't have all
  /// digits is refused.
  ///
  /// - Throws: what the value's decoding throws; `DecodingError` for a number that the asked type does not have; an
  ///   error for a document that is nested deeper than ``maximumDepth``.
  public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try JSONValueDecoder(self, nil).decode(type)
  }
}

/// Decodes one value of a document.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let path: CodingPath?
  var codingPath: [any CodingKey] { CodingPath.keys(path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: JSONValue, _ path: CodingPath?) {
    self.value = value
    self.path = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(KeyedJSONDecoding<Key>(members: members, path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self) }
    return UnkeyedJSONDecoding(elements: elements, path: path)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let bool) = value else { throw mismatch(type) }
    return bool
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .string(let string) = value else { throw mismatch(type) }
    return string.text
  }

  func decode(_ type: Double.Type) throws -> Double { try floating(type, number(type).double) }
  func decode(_ type: Float.Type) throws -> Float { try floating(type, Float(number(type).description) ?? .nan) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let known: Any? =
      switch type {
      case is JSONValue.Type: value
      case is JSONNumber.Type: try number(type)
      case is Decimal.Type: try decimal()
      case is Date.Type: Date(timeIntervalSinceReferenceDate: try decode(Double.self))
      case is Data.Type: try checked(Data(base64Encoded: try decode(String.self)), type)
      case is URL.Type: try checked(URL(string: try decode(String.self)), type)
      default: nil
      }
    if let known, let value = known as? Value { return value }
    return try Value(from: self)
  }

  private func number(_ type: Any.Type) throws -> JSONNumber {
    guard case .number(let number) = value else { throw mismatch(type) }
    return number
  }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    try checked(number(type).integer(), type)
  }

  private func decimal() throws -> Decimal { try checked(number(Decimal.self).decimal, Decimal.self) }

  private func floating<Number: BinaryFloatingPoint>(_ type: Number.Type, _ number: Number) throws -> Number {
    try checked(number.isFinite ? number : nil, type)
  }

  private func checked<Value>(_ value: Value?, _ type: Any.Type) throws -> Value {
    if let value { return value }
    throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "\(self.value) is no \(type)"))
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "\(value) is no \(type)")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}
