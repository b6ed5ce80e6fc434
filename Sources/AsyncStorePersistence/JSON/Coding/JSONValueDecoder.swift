import Foundation

extension JSONValue {
  /// Decodes a value, to the last digit.
  ///
  /// The value is decoded as by a `JSONDecoder` with default strategies, except that two kinds of numbers are refused:
  /// those with more digits than the requested `Decimal` can hold, and those other than zero that a `Double` or a
  /// `Float` would round to zero.
  ///
  /// - Throws: the errors of the value's decoding; `DecodingError` for a number that the requested type can't
  ///   represent; an error for a document that is nested deeper than ``maximumDepth``.
  public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try JSONValueDecoder(self, nil, nil).decode(type)
  }
}

/// Decodes one value of a document.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  /// The path to the list or object that contains the value.
  ///
  /// The key is stored separately, because most values are leaves, which need no path of their own.
  private let parent: CodingPath?
  private let key: (any CodingKey)?
  var codingPath: [any CodingKey] { CodingPath.keys(parent) + (key.map { [$0] } ?? []) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: JSONValue, _ parent: CodingPath?, _ key: (any CodingKey)?) {
    self.value = value
    self.parent = parent
    self.key = key
  }

  private var path: CodingPath? { get throws { try key.map { try CodingPath(parent, $0) } ?? parent } }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(KeyedJSONDecoding<Key>(members: members, path: try path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self) }
    return UnkeyedJSONDecoding(elements: elements, path: try path)
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

  func decode(_ type: Double.Type) throws -> Double { try floating(type) { $0.double } }
  func decode(_ type: Float.Type) throws -> Float { try floating(type) { Float($0.description) ?? .nan } }
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
    if let known = try known(type), let value = known as? Value { return value }
    return try Value(from: self)
  }

  /// Decodes a value of a type that is not decoded by its own `init(from:)`; returns `nil` for any other type.
  private func known(_ type: Any.Type) throws -> Any? {
    if type == JSONValue.self { return value }
    if type == Decimal.self { return try checked(number(type).decimal, type) }
    if type == Date.self { return Date(timeIntervalSinceReferenceDate: try decode(Double.self)) }
    if type == Data.self { return try checked(Data(base64Encoded: try decode(String.self)), type) }
    if type == URL.self { return try checked(URL(string: try decode(String.self)), type) }
    return nil
  }

  private func number(_ type: Any.Type) throws -> JSONNumber {
    guard case .number(let number) = value else { throw mismatch(type) }
    return number
  }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    try checked(number(type).integer(), type)
  }

  /// Decodes a floating-point number, which may be rounded, but not to zero.
  private func floating<Number: BinaryFloatingPoint>(
    _ type: Number.Type, _ convert: (JSONNumber) -> Number
  ) throws -> Number {
    let number = try number(type)
    let converted = convert(number)
    return try checked(converted.isFinite && (converted != 0 || number == 0) ? converted : nil, type)
  }

  private func checked<Value>(_ value: Value?, _ type: Any.Type) throws -> Value {
    if let value { return value }
    throw DecodingError.dataCorrupted(
      .init(codingPath: codingPath, debugDescription: "\(self.value.excerpt) is no \(type)"))
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "\(value.excerpt) is no \(type)")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}
