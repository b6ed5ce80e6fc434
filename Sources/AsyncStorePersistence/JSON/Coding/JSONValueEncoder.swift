import Foundation

extension JSONValue {
  /// Encodes a value, to the last digit.
  ///
  /// The result is that of a `JSONEncoder` with default settings, with two exceptions: all integers and decimals are
  /// exact, and the elements of a `Set`, and of a `Dictionary` that is encoded as a list, are in a fixed order, so that
  /// equal values are encoded alike.
  ///
  /// - Throws: the errors of the value's encoding; `EncodingError` for a number that is not finite, which JSON does not
  ///   have, and for values that are nested deeper than ``maximumDepth``.
  public init(encoding value: some Encodable) throws {
    self = try JSONValueEncoder.encode(value, at: nil, isOutermost: true)
  }
}

struct JSONValueEncoder: Encoder {
  let part: EncodedPart
  let path: CodingPath?

  var codingPath: [any CodingKey] { CodingPath.keys(path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ part: EncodedPart, _ path: CodingPath?) {
    self.part = part
    self.path = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedJSONEncoding<Key>(part, path))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedJSONEncoding(part, path) }
  func singleValueContainer() -> any SingleValueEncodingContainer { SingleJSONEncoding(part: part, path: path) }

  static func encode<Value: Encodable>(
    _ value: Value, at path: @autoclosure () throws -> CodingPath?, isOutermost: Bool = false
  ) throws -> JSONValue {
    if let known = try known(value, path) { return known }
    let part = EncodedPart()
    let path = try path()
    try value.encode(to: JSONValueEncoder(part, path))
    if !isOutermost, case .nothing = part.content { part.becomeContainer(at: path) }
    if part.isTooDeep { throw CodingPath.tooDeep }
    // As in `JSONEncoder`, a value within another one may encode nothing, and is then an empty object.
    if isOutermost, case .nothing = part.content {
      throw EncodingError.invalidValue(
        value, .init(codingPath: CodingPath.keys(path), debugDescription: "\(Value.self) encoded nothing"))
    }
    return ordered(part.value, as: Value.self)
  }

  /// Encodes a value of a type that is not encoded by its own `encode(to:)`; returns `nil` for any other type.
  private static func known<Value>(_ value: Value, _ path: () throws -> CodingPath?) throws -> JSONValue? {
    // The types are compared first, because that is cheap.
    if Value.self == JSONValue.self, let value = value as? JSONValue {
      guard try !value.isContainer || CodingPath.keys(path()).count + value.nesting <= JSONValue.maximumDepth else {
        throw CodingPath.tooDeep
      }
      return value
    }
    if Value.self == Data.self, let data = value as? Data { return .string(JSONString(data.base64EncodedString())) }
    if Value.self == URL.self, let url = value as? URL { return .string(JSONString(url.absoluteString)) }
    if Value.self == Decimal.self, let decimal = value as? Decimal {
      return try number(JSONNumber(decimal), decimal, path())
    }
    if Value.self == Date.self, let date = value as? Date {
      let seconds = date.timeIntervalSinceReferenceDate
      return try number(JSONNumber(seconds), seconds, path())
    }
    return nil
  }

  static func number(_ number: JSONNumber?, _ value: Any, _ path: @autoclosure () throws -> CodingPath?) throws
    -> JSONValue
  {
    if let number { return .number(number) }
    throw EncodingError.invalidValue(
      value, .init(codingPath: CodingPath.keys(try path()), debugDescription: "JSON does not have the number \(value)"))
  }

  private static func ordered(_ value: JSONValue, as type: Any.Type) -> JSONValue {
    guard case .array(let elements) = value, elements.count > 1, let type = type as? any UnorderedCollection.Type,
      elements.count % type.stride == 0
    else { return value }
    let groups = stride(from: 0, to: elements.count, by: type.stride).map { elements[$0..<($0 + type.stride)] }
    return .array(groups.sorted { JSONSortKey($0[$0.startIndex]) }.flatMap { $0 })
  }
}
